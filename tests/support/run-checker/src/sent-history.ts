import type { Exchange, DialectName, JsonObject } from "@troupe-internal/vendor-fakes";
import { isObject, objectsIn, stringOf } from "@troupe-internal/vendor-fakes";
import type { HistoryMessage } from "./history.ts";

/** Returns the conversation in a request. `undefined` for an unreadable request, or one that is not a chat request. */
export function sentHistory({ dialect, route, request }: Exchange): HistoryMessage[] | undefined {
  if (dialect === undefined || route?.kind !== "chat" || !isObject(request.body)) return undefined;
  return readers[dialect](request.body, new CallIds());
}

type Reader = (body: JsonObject, ids: CallIds) => HistoryMessage[];

const readers: Record<DialectName, Reader> = {
  "openai-chat": readMessages,
  ollama: readMessages,
  "openai-responses": (body) =>
    typeof body["input"] === "string"
      ? [plain("user", body["input"])]
      : joinSteps(objectsIn(body["input"]).flatMap((item) => readItem(item))),
  anthropic: (body) => objectsIn(body["messages"]).flatMap((message) => readBlocks(message)),
  google: (body, ids) => objectsIn(body["contents"]).flatMap((content) => readParts(content, ids)),
};

/** Creates ids for calls without ids: the nth call of a tool belongs to its nth result. */
class CallIds {
  readonly #counts = new Map<string, number>();

  next(kind: "call" | "result", name: string): string {
    const count = (this.#counts.get(kind + name) ?? 0) + 1;
    this.#counts.set(kind + name, count);
    return `${name}#${count}`;
  }
}

/** Reads messages of Chat Completions, and of Ollama, whose messages are nearly the same. */
function readMessages(body: JsonObject, ids: CallIds): HistoryMessage[] {
  return objectsIn(body["messages"]).map((message) => {
    const role = message["role"] === "developer" ? "system" : String(message["role"]);
    const calls = objectsIn(message["tool_calls"]).map(
      (call) => stringOf(call["id"]) ?? ids.next("call", nameOf(call["function"])),
    );
    if (role !== "tool") return { role, text: textIn(message["content"]), calls };
    const answers = stringOf(message["tool_call_id"]) ?? ids.next("result", nameOf(message, "tool_name"));
    return { role, text: textIn(message["content"]), calls, answers };
  });
}

function readItem(item: JsonObject): HistoryMessage[] {
  switch (item["type"] ?? "message") {
    case "message":
      return [plain(item["role"] === "developer" ? "system" : String(item["role"]), textIn(item["content"]))];
    case "function_call":
      return [{ role: "assistant", text: "", calls: [String(item["call_id"])] }];
    case "function_call_output":
      return [{ role: "tool", text: textIn(item["output"]), calls: [], answers: String(item["call_id"]) }];
    default:
      return [];
  }
}

function readBlocks({ role, content }: JsonObject): HistoryMessage[] {
  if (typeof content === "string") return [plain(String(role), content)];
  const blocks = objectsIn(content);
  const results = blocks.filter(({ type }) => type === "tool_result");
  const calls = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
  const answers = results.map((block): HistoryMessage => {
    return { role: "tool", text: textIn(block["content"]), calls: [], answers: String(block["tool_use_id"]) };
  });
  // A message that contains only results is not a user message.
  const words = blocks.filter((block) => !results.includes(block));
  return words.length === 0 ? answers : [...answers, { role: String(role), text: textIn(words), calls }];
}

function readParts(content: JsonObject, ids: CallIds): HistoryMessage[] {
  const parts = objectsIn(content["parts"]);
  const answers = parts.flatMap((part): HistoryMessage[] => {
    const result = part["functionResponse"];
    if (!isObject(result)) return [];
    const id = stringOf(result["id"]) ?? ids.next("result", nameOf(result));
    return [{ role: "tool", text: JSON.stringify(result["response"]), calls: [], answers: id }];
  });
  const words = parts.filter((part) => part["functionResponse"] === undefined);
  const calls = words.flatMap(({ functionCall: call }) =>
    isObject(call) ? [stringOf(call["id"]) ?? ids.next("call", nameOf(call))] : [],
  );
  const role = content["role"] === "model" ? "assistant" : (stringOf(content["role"]) ?? "user");
  return words.length === 0 ? answers : [...answers, { role, text: textIn(words), calls }];
}

/** Joins consecutive assistant items, because Responses splits an assistant message into its text and its calls. */
function joinSteps(messages: readonly HistoryMessage[]): HistoryMessage[] {
  const joined: HistoryMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role !== "assistant" || last?.role !== "assistant") joined.push(message);
    else joined[joined.length - 1] = joinTwo(last, message);
  }
  return joined;
}

function joinTwo(first: HistoryMessage, second: HistoryMessage): HistoryMessage {
  return { role: first.role, text: first.text + second.text, calls: [...first.calls, ...second.calls] };
}

function plain(role: string, text: string): HistoryMessage {
  return { role, text, calls: [] };
}

function nameOf(value: unknown, field = "name"): string {
  return isObject(value) ? String(value[field]) : "";
}

/** Returns a string unchanged, or the joined texts of an array of parts. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map(({ text }) => stringOf(text) ?? "")
    .join("");
}
