import { isOldGemini } from "../dialects/google-path.ts";
import { isObject, objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { googleHostedChecks } from "./google-hosted.ts";
import { refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";

const callFields = ["functionCall", "functionResponse", "executableCode", "codeExecutionResult", "toolCall"];
const dataFields = ["text", "inlineData", "fileData", "toolResponse", ...callFields];
const otherFields = ["thought", "thoughtSignature", "videoMetadata"];

/** The model of a request, and whether it is for Google Cloud. */
type Side = { modelId: string; isCloud: boolean };

/** Checks each content, and the order of the contents. */
export function* contentsChecks(contents: readonly JsonObject[], side: Side): Checks {
  for (const [index, content] of contents.entries()) {
    const at = `contents[${index}]`;
    const parts = objectsIn(content["parts"]);
    yield refuseIf(
      !["user", "model"].includes(stringOrEmpty(content["role"])),
      "Please use a valid role: user, model.",
      `${at}.role`,
    );
    yield refuseIf(parts.length === 0, `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`, at);
    for (const part of parts) yield* partChecks(part, at, side);
    yield* googleHostedChecks(parts, at);
  }
  yield* orderChecks(contents);
}

function* partChecks(part: JsonObject, at: string, side: Side): Checks {
  const unknown = Object.keys(part).find((key) => ![...dataFields, ...otherFields].includes(key));
  const data = dataFields.filter((field) => part[field] !== undefined);
  const isBlank = part["text"] === "" && part["thoughtSignature"] === undefined;
  yield refuseIf(unknown !== undefined, `Unknown name "${unknown}" at '${at}.parts': Cannot find field.`, at);
  yield refuseIf(data.length !== 1, `${at}.parts: required oneof field 'data' must have one initialized field`, at);
  yield refuseIf(isBlank, "Unable to submit request because it must have a text parameter.", at);
  yield* fileChecks(part, at, side);
  yield* functionChecks(part, at, side);
}

function* fileChecks({ inlineData, fileData }: JsonObject, at: string, { isCloud }: Side): Checks {
  const { mimeType, displayName } = objectOf(inlineData);
  const isBucket = stringOrEmpty(objectOf(fileData)["fileUri"]).startsWith("gs://");
  yield refuseIf(inlineData !== undefined && stringOf(mimeType) === undefined, "Unsupported MIME type: ", at);
  yield refuseIf(
    displayName !== undefined && !isCloud,
    `Unknown name "displayName" at '${at}.parts.inline_data': Cannot find field.`,
    at,
  );
  yield refuseIf(isBucket && !isCloud, "Invalid or unsupported file uri.", at);
}

function* functionChecks(
  { functionCall, functionResponse }: JsonObject,
  at: string,
  { isCloud, modelId }: Side,
): Checks {
  const [call, response] = [objectOf(functionCall), objectOf(functionResponse)];
  yield refuseIf(
    functionCall !== undefined && stringOrEmpty(call["name"]) === "",
    "function_call.name: Name cannot be empty.",
    at,
  );
  yield refuseIf(
    call["args"] !== undefined && !isObject(call["args"]),
    `Invalid value at '${at}.parts.function_call.args' (type.googleapis.com/google.protobuf.Struct)`,
    at,
  );
  if (functionResponse !== undefined) {
    yield refuseIf(stringOrEmpty(response["name"]) === "", "function_response.name: Name cannot be empty.", at);
    yield refuseIf(
      !isObject(response["response"]),
      `Invalid value at '${at}.parts.function_response.response' (type.googleapis.com/google.protobuf.Struct)`,
      at,
    );
    yield* resultPartChecks(response["parts"], at, modelId);
  }
  // Google Cloud issues no ids, so a call with an id has an invented one.
  const hasId = (call["id"] ?? response["id"]) !== undefined;
  yield refuseIf(isCloud && hasId, `Unknown name "id" at '${at}.parts': Cannot find field.`, at);
}

const resultTypes = ["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"];

function* resultPartChecks(parts: unknown, at: string, modelId: string): Checks {
  if (parts === undefined) return;
  yield refuseIf(isOldGemini(modelId), `Multimodal function responses are not supported for ${modelId}.`, at);
  for (const part of objectsIn(parts)) {
    const { mimeType, data } = objectOf(part["inlineData"]);
    const isTaken = resultTypes.includes(stringOrEmpty(mimeType)) && stringOrEmpty(data) !== "";
    yield refuseIf(!isTaken, `Unsupported MIME type in function_response.parts: ${String(mimeType)}`, at);
  }
}

/** Checks that calls follow user content or results, and that results follow their calls in number and order. */
function* orderChecks(contents: readonly JsonObject[]): Checks {
  yield refuseIf(contents[0]?.["role"] === "model", "The first content must be the user's.", "contents");
  for (const [index, content] of contents.entries()) {
    const [calls, results] = [
      functionsIn(contents[index - 1], "functionCall"),
      functionsIn(content, "functionResponse"),
    ];
    const at = `contents[${index}]`;
    const isOwnCall = functionsIn(content, "functionCall").length > 0;
    yield refuseIf(
      isOwnCall && (contents[index - 1]?.["role"] !== "user" || content["role"] !== "model"),
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      at,
    );
    yield refuseIf(
      results.length > 0 && (calls.length === 0 || content["role"] !== "user"),
      "Please ensure that function response turn comes immediately after a function call turn.",
      at,
    );
    yield refuseIf(
      calls.length !== results.length,
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      at,
    );
    const isSame = calls.every(({ name, id }, place) => isAnswer(results[place], { name, id }));
    yield refuseIf(!isSame, "Function responses must have the names and ids of the calls, in their order.", at);
  }
  yield refuseIf(
    contents.at(-1)?.["role"] === "model",
    "Please ensure that multiturn requests end with a user role or a function response.",
    "contents",
  );
}

function isAnswer(result: JsonObject | undefined, { name, id }: JsonObject): boolean {
  return result?.["name"] === name && result?.["id"] === id;
}

function functionsIn(content: JsonObject | undefined, field: "functionCall" | "functionResponse"): JsonObject[] {
  return objectsIn(content?.["parts"]).flatMap((part) => (isObject(part[field]) ? [part[field]] : []));
}
