import type { Refusal } from "../dialect.ts";
import { encryptedContent, reasoningIdOf } from "../dialects/openai-response-items.ts";
import { markOf } from "../dialects/openai-hosted.ts";
import { objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { isRecorded } from "../signature.ts";
import { refuseIf, refuseUnknown, repeatedIn, toolName } from "./checks.ts";
import type { Checks } from "./checks.ts";

type Placed = { item: JsonObject; at: string; items: readonly JsonObject[]; index: number };

/** Checks each item, and that calls, outputs and reasoning match. */
export function* itemsChecks(items: readonly JsonObject[]): Checks {
  for (const [index, item] of items.entries()) {
    const placed = { item, at: `input[${index}]`, items, index };
    const type = stringOf(item["type"]) ?? (item["role"] === undefined ? "" : "message");
    const check = checkOf.get(type);
    yield refuseIf(check === undefined, `Invalid value: '${type}'.`, `${placed.at}.type`);
    if (check !== undefined) yield* check(placed);
  }
  const ids = items.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const [repeated] = repeatedIn(ids);
  yield refuseIf(repeated !== undefined, `Duplicate item found with id ${String(repeated)}.`, "input");
  yield* pairingChecks(items);
}

const checkOf = new Map<string, (placed: Placed) => Checks>([
  ["message", messageChecks],
  ["function_call", callChecks],
  ["function_call_output", outputChecks],
  ["reasoning", reasoningChecks],
  ["web_search_call", (placed) => hostedChecks(placed, ["action"], objectOf(placed.item["action"])["query"])],
  ["code_interpreter_call", (placed) => hostedChecks(placed, ["code", "container_id", "outputs"], placed.item["code"])],
  ["item_reference", referenceChecks],
]);

function* messageChecks({ item, at }: Placed): Checks {
  const { role, content } = item;
  const isAssistant = role === "assistant";
  yield refuseUnknown(item, ["type", "role", "content", "id", "status", "phase"], `${at}.`);
  yield refuseIf(
    !["user", "assistant", "system", "developer"].includes(stringOrEmpty(role)),
    "Invalid value for 'role'.",
    at,
  );
  yield refuseIf(
    stringOf(content) === undefined && objectsIn(content).length === 0,
    `Invalid type for '${at}.content': expected a string or a list of parts.`,
    `${at}.content`,
  );
  const allowed = isAssistant ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  const wrong = objectsIn(content).find(({ type }) => !allowed.includes(stringOrEmpty(type)));
  yield refuseIf(
    wrong !== undefined,
    `Invalid value: '${String(wrong?.["type"])}'. Supported values are: ${allowed.join(", ")}.`,
    `${at}.content`,
  );
  yield wrongId(item, at, "msg");
}

/** Checks a call of one of the vendor's own tools, which must be sent back whole, unchanged, and with its reasoning. */
function* hostedChecks(placed: Placed, fields: readonly string[], asked: unknown): Checks {
  const { item, at } = placed;
  yield refuseUnknown(item, ["type", "id", "status", ...fields], `${at}.`);
  yield refuseIf(stringOf(asked) === undefined, `Missing required parameter: '${at}.${String(fields[0])}'.`, at);
  const isIssued = stringOrEmpty(item["id"]).endsWith(`_${markOf({ query: stringOrEmpty(asked) })}`);
  yield refuseIf(!isIssued, `Item with id '${String(item["id"])}' not found.`, "input");
  yield aloneWithoutReasoning(placed);
}

function aloneWithoutReasoning({ item, items, index }: Placed): Refusal | undefined {
  const reasoning = reasoningIdOf(stringOrEmpty(item["id"]));
  const isAlone = reasoning !== undefined && !items.slice(0, index).some(({ id }) => id === reasoning);
  const [id, type] = [String(item["id"]), String(item["type"])];
  return refuseIf(
    isAlone,
    `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoning}'.`,
    "input",
  );
}

function* callChecks(placed: Placed): Checks {
  const { item, at } = placed;
  yield refuseUnknown(item, ["type", "id", "status", "call_id", "name", "arguments"], `${at}.`);
  yield refuseIf(
    stringOrEmpty(item["call_id"]) === "",
    `Missing required parameter: '${at}.call_id'.`,
    `${at}.call_id`,
  );
  yield refuseIf(!toolName.test(stringOrEmpty(item["name"])), `Invalid '${at}.name'.`, `${at}.name`);
  yield refuseIf(
    stringOf(item["arguments"]) === undefined,
    `Invalid type for '${at}.arguments': expected a string.`,
    `${at}.arguments`,
  );
  yield wrongId(item, at, "fc");
  yield aloneWithoutReasoning(placed);
}

function* outputChecks({ item, at }: Placed): Checks {
  const isThere = stringOf(item["output"]) !== undefined || Array.isArray(item["output"]);
  yield refuseUnknown(item, ["type", "id", "status", "call_id", "output"], `${at}.`);
  yield refuseIf(!isThere, `Missing required parameter: '${at}.output'.`, `${at}.output`);
  yield* inputPartChecks(item["output"], `${at}.output`);
}

/** Checks the parts of a user message or of a tool's result. */
function* inputPartChecks(content: unknown, at: string): Checks {
  if (!Array.isArray(content)) return;
  yield refuseIf(content.length === 0, `Invalid '${at}': empty array.`, at);
  for (const { type, text, image_url: url, file_data: data, file_url: address } of objectsIn(content)) {
    yield refuseIf(
      !["input_text", "input_image", "input_file"].includes(stringOrEmpty(type)),
      `Invalid value: '${String(type)}'.`,
      at,
    );
    const isEmpty = [text, url, data, address].every((value) => stringOrEmpty(value) === "");
    yield refuseIf(isEmpty, `Missing required parameter in '${at}'.`, at);
  }
}

/** The kinds of items beside messages that may follow reasoning. */
const followers = ["function_call", "reasoning", "web_search_call", "code_interpreter_call"];

function* reasoningChecks({ item, at, items, index }: Placed): Checks {
  const [id, encrypted] = [stringOrEmpty(item["id"]), stringOrEmpty(item["encrypted_content"])];
  const summary = objectsIn(item["summary"]).map(({ text }) => stringOrEmpty(text));
  const isIssued = isRecorded(encrypted) || encrypted === encryptedContent(id, summary.join(""));
  const next = items[index + 1];
  const isFollowed = next?.["role"] === "assistant" || followers.includes(stringOrEmpty(next?.["type"]));
  yield refuseUnknown(item, ["type", "id", "summary", "content", "encrypted_content", "status"], `${at}.`);
  yield refuseIf(!Array.isArray(item["summary"]), `Missing required parameter: '${at}.summary'.`, `${at}.summary`);
  yield refuseIf(
    encrypted === "",
    `Item with id '${id}' not found. Items are not persisted when 'store' is false.`,
    "input",
  );
  yield refuseIf(!isIssued, "The encrypted content could not be verified.", `${at}.encrypted_content`);
  yield refuseIf(
    !isFollowed,
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
    "input",
  );
}

function* referenceChecks({ item }: Placed): Checks {
  yield refuseIf(true, `Item with id '${String(item["id"])}' not found.`, "input");
}

function wrongId({ id }: JsonObject, at: string, prefix: string): Refusal | undefined {
  const isWrong = id !== undefined && !stringOrEmpty(id).startsWith(`${prefix}_`);
  return refuseIf(
    isWrong,
    `Invalid '${at}.id': '${String(id)}'. Expected an ID that begins with '${prefix}'.`,
    `${at}.id`,
  );
}

/** Checks that each call has its output after it, and each output its call before it. */
function* pairingChecks(items: readonly JsonObject[]): Checks {
  const waiting = new Set<unknown>();
  for (const { type, call_id: id } of items) {
    if (type === "function_call") {
      yield refuseIf(waiting.has(id), `Duplicate tool call with call_id ${String(id)}.`, "input");
      waiting.add(id);
    }
    if (type === "function_call_output")
      yield refuseIf(
        !waiting.delete(id),
        `No tool call found for function call output with call_id ${String(id)}.`,
        "input",
      );
  }
  const [open] = waiting;
  yield refuseIf(waiting.size > 0, `No tool output found for function call ${String(open)}.`, "input");
}
