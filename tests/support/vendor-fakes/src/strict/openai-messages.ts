import type { Refusal } from "../dialect.ts";
import { objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { refuseIf, refuseUnknown, repeatedIn, toolName } from "./checks.ts";
import type { Checks } from "./checks.ts";

const roles = ["system", "developer", "user", "assistant", "tool"];
// The last three fields contain the thinking that compatible servers require.
const known = [
  "role",
  "content",
  "name",
  "tool_calls",
  "tool_call_id",
  "refusal",
  "audio",
  "reasoning_content",
  "reasoning",
  "reasoning_details",
];

/** Checks each message, and that calls and results match. */
export function* openaiMessageChecks(messages: readonly JsonObject[]): Checks {
  for (const [index, message] of messages.entries()) {
    const at = `messages.[${index}]`;
    yield refuseIf(!roles.includes(stringOrEmpty(message["role"])), "Invalid value for 'role'.", `${at}.role`);
    yield refuseUnknown(message, known, `${at}.`);
    yield* contentChecks(message, at);
    yield* callChecks(message, at);
  }
  yield* pairingChecks(messages);
}

function* contentChecks({ role, content, name, tool_calls: calls }: JsonObject, at: string): Checks {
  const mayBeEmpty = role === "assistant" && calls !== undefined;
  yield refuseIf(
    (content ?? null) === null && !mayBeEmpty,
    "Invalid value for 'content': expected a string, got null.",
    `${at}.content`,
  );
  yield refuseIf(Array.isArray(content) && content.length === 0, `[] is too short - '${at}.content'`, `${at}.content`);
  yield refuseIf(
    name !== undefined && !toolName.test(stringOrEmpty(name)),
    `Invalid '${at}.name': string does not match pattern.`,
    `${at}.name`,
  );
  const others = objectsIn(content).some(({ type }) => type !== "text");
  yield refuseIf(role !== "user" && others, "This role takes parts of type 'text' alone.", `${at}.content`);
}

function* callChecks({ role, tool_calls: calls }: JsonObject, at: string): Checks {
  const where = `${at}.tool_calls`;
  yield refuseIf(calls !== undefined && role !== "assistant", "'tool_calls' is for the assistant alone.", where);
  yield refuseIf(Array.isArray(calls) && calls.length === 0, `[] is too short - '${where}'`, where);
  for (const call of objectsIn(calls)) {
    const { name, arguments: args } = objectOf(call["function"]);
    yield refuseIf(stringOrEmpty(call["id"]) === "", "Missing required parameter: 'id'.", where);
    yield refuseIf(call["type"] !== "function", "Invalid value for 'type'.", where);
    yield refuseIf(stringOf(args) === undefined, "Invalid type for 'arguments': expected a string.", where);
    yield refuseIf(!toolName.test(stringOrEmpty(name)), "Invalid 'function.name'.", where);
  }
}

/** Checks that all results of a message follow it directly, and that each result has its call. */
function* pairingChecks(messages: readonly JsonObject[]): Checks {
  let waiting = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "tool") {
      yield refuseIf(
        !waiting.delete(message["tool_call_id"]),
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        `messages.[${index}].role`,
      );
      continue;
    }
    yield unanswered(waiting, index);
    const ids = objectsIn(message["tool_calls"]).map(({ id }) => id);
    yield refuseIf(repeatedIn(ids).length > 0, "Duplicate value for 'tool_call_id'.", `messages.[${index}].tool_calls`);
    waiting = new Set(ids);
  }
  yield unanswered(waiting, messages.length);
}

function unanswered(waiting: ReadonlySet<unknown>, index: number): Refusal | undefined {
  const ids = [...waiting].join(", ");
  return refuseIf(
    waiting.size > 0,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${ids}`,
    `messages.[${index}].role`,
  );
}
