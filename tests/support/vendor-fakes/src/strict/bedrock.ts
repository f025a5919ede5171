import type { Refusal } from "../dialect.ts";
import { isObject, objectOf, objectsIn, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { isRecorded } from "../signature.ts";
import { firstRefusal, refuseIf, refuseUnknown, repeatedIn, toolName } from "./checks.ts";
import type { Checks } from "./checks.ts";

const fields = [
  "messages",
  "system",
  "inferenceConfig",
  "toolConfig",
  "additionalModelRequestFields",
  "additionalModelResponseFieldPaths",
  "guardrailConfig",
  "outputConfig",
  "performanceConfig",
  "promptVariables",
  "requestMetadata",
  "serviceTier",
];

/** Returns why Bedrock would refuse the body of a Converse request. */
export function refuseBedrock(body: unknown): Refusal | undefined {
  return isObject(body) ? firstRefusal(checksOf(body)) : { message: "The body is not a JSON object." };
}

function* checksOf(body: JsonObject): Checks {
  yield refuseUnknown(body, fields);
  const messages = objectsIn(body["messages"]);
  yield refuseIf(messages.length === 0, "A conversation must start with a user message.");
  yield refuseIf(messages[0]?.["role"] !== "user", "A conversation must start with a user message.");
  yield refuseIf(messages.at(-1)?.["role"] !== "user", "The model does not support assistant message prefill.");
  yield refuseIf(
    objectsIn(body["system"]).some(({ text }) => text === ""),
    "The system text is blank.",
  );
  yield* settingChecks(body);
  for (const [index, message] of messages.entries()) yield* messageChecks(message, messages[index - 1]);
  const hasTools = messages.some((message) => blocksOf(message, "toolUse").length > 0);
  yield refuseIf(
    hasTools && body["toolConfig"] === undefined,
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  );
}

function* settingChecks(body: JsonObject): Checks {
  const inference = objectOf(body["inferenceConfig"]);
  yield refuseUnknown(inference, ["maxTokens", "temperature", "topP", "stopSequences"], "inferenceConfig.");
  const config = body["toolConfig"];
  if (config === undefined) return;
  const tools = objectsIn(objectOf(config)["tools"]);
  yield refuseIf(tools.length === 0, "toolConfig.tools must have at least one tool.");
  for (const tool of tools) {
    if (tool["cachePoint"] !== undefined) continue;
    const { name, inputSchema, description } = objectOf(tool["toolSpec"]);
    yield refuseIf(!toolName.test(stringOrEmpty(name)), "The name of a tool is not valid.");
    yield refuseIf(objectOf(objectOf(inputSchema)["json"])["type"] !== "object", "A schema must be an object.");
    yield refuseIf(description === "", "The description of a tool is blank.");
  }
}

function blocksOf(message: JsonObject | undefined, kind: string): JsonObject[] {
  return objectsIn(message?.["content"]).flatMap((block) => (isObject(block[kind]) ? [block[kind]] : []));
}

function* messageChecks(message: JsonObject, before: JsonObject | undefined): Checks {
  const content = objectsIn(message["content"]);
  yield refuseIf(message["role"] === before?.["role"], "Roles must alternate between user and assistant.");
  yield refuseIf(content.length === 0, "The content field of a message is empty.");
  yield refuseIf(
    content.some(({ text }) => text === ""),
    "The text field in a content block is blank.",
  );
  const calls = blocksOf(message, "toolUse");
  yield refuseIf(
    calls.some(({ toolUseId }) => !/^[\w-]{1,64}$/.test(stringOrEmpty(toolUseId))),
    "The id of a tool use is not valid.",
  );
  yield refuseIf(
    calls.some(({ name }) => !toolName.test(stringOrEmpty(name))),
    "The name of a tool use is not valid.",
  );
  yield refuseIf(
    calls.some(({ input }) => !isObject(input)),
    "The input of a tool use must be a JSON object.",
  );
  for (const reasoning of blocksOf(message, "reasoningContent")) yield refuseReasoning(reasoning);
  yield* resultChecks(message, before);
}

function refuseReasoning({ reasoningText, redactedContent }: JsonObject): Refusal | undefined {
  if (redactedContent !== undefined) return undefined;
  const { text, signature } = objectOf(reasoningText);
  const isSigned = typeof signature === "string" && (/^[0-9a-f]{24}$/.test(signature) || isRecorded(signature));
  return refuseIf(typeof text !== "string" || !isSigned, "The reasoning must have its text and its signature.");
}

/** Each call must have exactly one result, in the message directly after it. */
function* resultChecks(message: JsonObject, before: JsonObject | undefined): Checks {
  const called = blocksOf(before, "toolUse").map(({ toolUseId }) => toolUseId);
  const answered = blocksOf(message, "toolResult").map(({ toolUseId }) => toolUseId);
  yield refuseIf(repeatedIn(called).length > 0 || repeatedIn(answered).length > 0, "An id of a tool use is repeated.");
  yield refuseIf(
    called.some((id) => !answered.includes(id)),
    "Expected toolResult blocks for all toolUse blocks of the previous turn.",
  );
  yield refuseIf(
    answered.some((id) => !called.includes(id)),
    "The number of toolResult blocks exceeds the number of toolUse blocks of previous turn.",
  );
}
