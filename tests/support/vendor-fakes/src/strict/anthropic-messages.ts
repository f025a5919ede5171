import type { ModelTraits } from "../dialects/anthropic-models.ts";
import { isObject, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { hostedTypes, isPausedAnswer } from "./anthropic-hosted.ts";
import { refuseIf, repeatedIn, toolName } from "./checks.ts";
import type { Checks } from "./checks.ts";

const blocksOfRole: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "document", "tool_result", "search_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use", ...hostedTypes],
};
const callFields = ["type", "id", "name", "input", "caller", "cache_control"];
const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Checks each message, and that calls and results match. */
export function* anthropicMessageChecks(messages: readonly JsonObject[], traits: ModelTraits): Checks {
  yield refuseIf(messages.length === 0, "messages: at least one message is required", "messages");
  yield refuseIf(messages[0]?.["role"] !== "user", 'messages: first message must use the "user" role', "messages.0");
  for (const [index, message] of messages.entries()) yield* messageChecks(message, `messages.${index}`);
  yield* pairingChecks(messages);
  yield* lastChecks(messages.at(-1), traits);
}

/** Checks a text block. */
export function* textChecks({ type, text }: JsonObject, at: string): Checks {
  if (type !== "text") return;
  yield refuseIf(stringOrEmpty(text) === "", `${at}: text content blocks must be non-empty`, at);
  yield refuseIf(stringOrEmpty(text).trim() === "", `${at}: text content blocks must contain non-whitespace text`, at);
}

function* messageChecks(message: JsonObject, at: string): Checks {
  const role = stringOrEmpty(message["role"]);
  const allowed = blocksOfRole[role] ?? [];
  const extra = Object.keys(message).find((key) => key !== "role" && key !== "content");
  yield refuseIf(allowed.length === 0, `${at}: Unexpected role "${role}".`, `${at}.role`);
  yield refuseIf(extra !== undefined, `${at}.${extra}: Extra inputs are not permitted`, `${at}.${extra}`);
  const blocks = blocksOf(message);
  yield refuseIf(blocks.length === 0, `${at}: ${role} messages must have non-empty content`, at);
  for (const [index, block] of blocks.entries()) {
    const where = `${at}.content.${index}`;
    const type = stringOrEmpty(block["type"]);
    yield refuseIf(!allowed.includes(type), `${where}: Input tag '${type}' is not allowed in ${role} messages`, where);
    yield* textChecks(block, where);
    yield* imageChecks(block, where);
    yield* callChecks(block, where);
    yield* resultChecks(block, where);
  }
}

function* resultChecks({ type, content }: JsonObject, at: string): Checks {
  if (type !== "tool_result") return;
  for (const [index, block] of objectsIn(content).entries()) {
    const where = `${at}.content.${index}`;
    const tag = stringOrEmpty(block["type"]);
    yield refuseIf(
      !["text", "image", "document", "search_result"].includes(tag),
      `${where}: Input tag '${tag}' is not allowed in tool results`,
      where,
    );
    yield* textChecks(block, where);
    yield* imageChecks(block, where);
  }
}

function* imageChecks({ type, source }: JsonObject, at: string): Checks {
  if (type !== "image" || !isObject(source) || source["type"] !== "base64") return;
  const mediaType = stringOrEmpty(source["media_type"]);
  yield refuseIf(
    !imageTypes.includes(mediaType),
    `${at}.source.media_type: Input should be ${imageTypes.join(", ")}`,
    at,
  );
  yield refuseIf(
    !/^[A-Za-z0-9+/]+={0,2}$/.test(stringOrEmpty(source["data"])),
    `${at}.source.data: invalid base64`,
    at,
  );
}

function* callChecks(block: JsonObject, at: string): Checks {
  const { type, id, name, input } = block;
  if (type !== "tool_use") return;
  const extra = Object.keys(block).find((key) => !callFields.includes(key));
  yield refuseIf(
    !/^[a-zA-Z0-9_-]+$/.test(stringOrEmpty(id)),
    `${at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
    at,
  );
  yield refuseIf(
    !toolName.test(stringOrEmpty(name)),
    `${at}.name: String should match pattern '${toolName.source}'`,
    at,
  );
  yield refuseIf(!isObject(input), `${at}.input: Input should be a valid dictionary`, at);
  yield refuseIf(extra !== undefined, `${at}.${extra}: Extra inputs are not permitted`, at);
}

/** Checks that all results of a message are at the beginning of the next one, and nowhere else. */
function* pairingChecks(messages: readonly JsonObject[]): Checks {
  let calls: unknown[] = [];
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const at = `messages.${index}`;
    const results = blocks.flatMap((block) => (block["type"] === "tool_result" ? [block["tool_use_id"]] : []));
    const open = calls.filter((id) => !results.includes(id));
    const [orphan] = results.filter((id) => !calls.includes(id));
    yield refuseIf(
      open.length > 0,
      `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}.`,
      at,
    );
    yield refuseIf(
      orphan !== undefined,
      `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(orphan)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      at,
    );
    yield refuseIf(repeatedIn(results).length > 0, `${at}: each tool_use must have a single result.`, at);
    const isFirst = blocks.slice(0, results.length).every(({ type }) => type === "tool_result");
    yield refuseIf(!isFirst, `${at}: \`tool_result\` blocks must come first in the content.`, at);
    calls = callIdsIn(blocks);
  }
  yield refuseIf(
    calls.length > 0,
    "`tool_use` ids were found without `tool_result` blocks immediately after.",
    "messages",
  );
  const everyCall = messages.flatMap((message) => callIdsIn(blocksOf(message)));
  yield refuseIf(repeatedIn(everyCall).length > 0, "messages: `tool_use` ids must be unique", "messages");
}

function* lastChecks(last: JsonObject | undefined, { isAdaptive }: ModelTraits): Checks {
  if (last?.["role"] !== "assistant" || isPausedAnswer(last)) return;
  const said = stringOrEmpty(blocksOf(last).at(-1)?.["text"]);
  yield refuseIf(isAdaptive, "This model does not support assistant message prefill.", "messages");
  yield refuseIf(
    said !== said.trimEnd(),
    "messages: final assistant content cannot end with trailing whitespace",
    "messages",
  );
}

function callIdsIn(blocks: readonly JsonObject[]): unknown[] {
  return blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  const text = stringOf(content);
  if (text === undefined) return objectsIn(content);
  return text === "" ? [] : [{ type: "text", text }];
}
