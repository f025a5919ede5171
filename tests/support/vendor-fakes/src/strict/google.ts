import type { Refusal, Route, VendorRequest } from "../dialect.ts";
import { isOldGemini, readGooglePath } from "../dialects/google-path.ts";
import { isObject, objectOf, objectsIn, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { firstRefusal, refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";
import { contentsChecks } from "./google-contents.ts";
import { refuseGoogleBatch } from "./google-embeddings.ts";
import { signatureChecks } from "./google-signatures.ts";

const knownFields = "contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent";
const functionName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

/** Returns why Gemini would answer 400 to a content or embedding request. */
export function refuseGoogle(request: VendorRequest, { kind, modelId }: Route): Refusal | undefined {
  const path = readGooglePath(request);
  if (kind === "embeddings") {
    return path?.method === "batchEmbedContents" ? refuseGoogleBatch(request.body, modelId) : undefined;
  }
  if (!isObject(request.body)) return { message: "Invalid JSON payload received." };
  const isCloud = path?.isCloud === true;
  return firstRefusal(checks(request.body, { modelId, isCloud }));
}

type Side = { modelId: string; isCloud: boolean };

function* checks(body: JsonObject, { modelId, isCloud }: Side): Checks {
  const known = [...knownFields.split(" "), ...(isCloud ? ["labels"] : ["serviceTier", "store"])];
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  yield refuseIf(
    unknown !== undefined,
    `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`,
    unknown,
  );
  const { contents, systemInstruction, tools, toolConfig, cachedContent } = body;
  yield refuseIf(
    cachedContent !== undefined && [systemInstruction, tools, toolConfig].some((field) => field !== undefined),
    "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.",
    "cachedContent",
  );
  yield refuseIf(objectsIn(contents).length === 0, "* GenerateContentRequest.contents: contents is not specified");
  const isEmpty = objectsIn(objectOf(systemInstruction)["parts"]).every(({ text }) => stringOrEmpty(text) === "");
  yield refuseIf(
    systemInstruction !== undefined && isEmpty,
    "systemInstruction must not be empty",
    "systemInstruction",
  );
  yield* toolChecks(body);
  yield* configChecks(body, modelId);
  yield* contentsChecks(objectsIn(contents), { modelId, isCloud });
  if (!isOldGemini(modelId)) yield* signatureChecks(objectsIn(contents));
}

function* toolChecks(body: JsonObject): Checks {
  const functions = objectsIn(body["tools"]).flatMap((tool) => objectsIn(tool["functionDeclarations"]));
  for (const { name, parameters, parametersJsonSchema } of functions) {
    yield refuseIf(
      !functionName.test(stringOrEmpty(name)),
      `Invalid function name: '${stringOrEmpty(name)}'.`,
      "tools",
    );
    yield refuseIf(
      parameters !== undefined && parametersJsonSchema !== undefined,
      "parameters and parameters_json_schema are mutually exclusive.",
      "tools",
    );
  }
  const { mode, allowedFunctionNames } = objectOf(objectOf(body["toolConfig"])["functionCallingConfig"]);
  const allowed = Array.isArray(allowedFunctionNames) ? (allowedFunctionNames as unknown[]) : [];
  const names = functions.map(({ name }) => name);
  yield refuseIf(
    (mode === "ANY" || mode === "VALIDATED") && functions.length === 0,
    "Function calling config is set without function_declarations.",
    "toolConfig",
  );
  yield refuseIf(
    allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED",
    "Allowed function names should only be set when function calling mode is ANY.",
    "toolConfig",
  );
  yield refuseIf(
    !allowed.every((name) => names.includes(name)),
    "An allowed function name is not declared.",
    "toolConfig",
  );
}

function* configChecks(body: JsonObject, modelId: string): Checks {
  const { thinkingConfig, responseMimeType, responseJsonSchema, responseSchema } = objectOf(body["generationConfig"]);
  const { thinkingBudget, thinkingLevel } = objectOf(thinkingConfig);
  const isJson = responseMimeType === "application/json";
  yield refuseIf(
    thinkingBudget !== undefined && thinkingLevel !== undefined,
    "You can only set one of thinking budget and thinking level.",
    "generationConfig.thinkingConfig",
  );
  yield refuseIf(
    thinkingLevel !== undefined && isOldGemini(modelId),
    "Thinking level is not supported for this model.",
    "generationConfig.thinkingConfig",
  );
  yield refuseIf(
    isOldGemini(modelId) && isJson && body["tools"] !== undefined,
    "Function calling with a response mime type: 'application/json' is unsupported",
    "generationConfig.responseMimeType",
  );
  yield refuseIf(
    (responseJsonSchema ?? responseSchema) !== undefined && !isJson,
    "A response schema needs the response mime type 'application/json'.",
    "generationConfig.responseMimeType",
  );
}
