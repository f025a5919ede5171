import type { Exchange, DialectName, JsonObject } from "@troupe-internal/vendor-fakes";
import { isObject, objectsIn, textOf } from "@troupe-internal/vendor-fakes";
import type { HistoryMessage } from "./history.ts";

/** The conversation that a request carried; `undefined` when it asked for no answer or cannot be read. */
export function sentHistory({ dialect, route, request }: Exchange): HistoryMessage[] | undefined {
  if (dialect === undefined || route?.kind !== "chat" || !isObject(request.body)) return undefined;
  return readers[dialect](request.body, new CallNames());
}

type Reader = (body: JsonObject, names: CallNames) => HistoryMessage[];

const readers: Record<DialectName, Reader> = {
  "openai-chat": readMessages,
  ollama: readMessages,
  "openai-responses": (body) =>
    typeof body["input"] === "string"
      ? [plain("user", body["input"])]
      : joinSteps(objectsIn(body["input"]).flatMap((item) => readItem(item))),
  anthropic: (body) => objectsIn(body["messages"]).flatMap((message) => readBlocks(message)),
  google: (body, names) => objectsIn(body["contents"]).flatMap((content) => readParts(content, names)),
};

/** Names calls that have no ids of their own: the n-th call of a tool is answered by its n-th result. */
class CallNames {
  readonly #counts = new Map<string, number>();

  next(kind: "call" | "result", name: string): string {
    const count = (this.#counts.get(kind + name) ?? 0) + 1;
    this.#counts.set(kind + name, count);
    return `${name}#${count}`;
  }
}

/** Chat Completions, and the local runner, which speaks nearly like it. */
function readMessages(body: JsonObject, names: CallNames): HistoryMessage[] {
  return objectsIn(body["messages"]).map((message) => {
    const role = message["role"] === "developer" ? "system" : String(message["role"]);
    const calls = objectsIn(message["tool_calls"]).map(
      (call) => textOf(call["id"]) ?? names.next("call", nameOf(call["function"])),
    );
    if (role !== "tool") return { role, text: textIn(message["content"]), calls };
    const answers = textOf(message["tool_call_id"]) ?? names.next("result", nameOf(message, "tool_name"));
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
  // A message of nothing but results is not a word of the user.
  const words = blocks.filter((block) => !results.includes(block));
  return words.length === 0 ? answers : [...answers, { role: String(role), text: textIn(words), calls }];
}

function readParts(content: JsonObject, names: CallNames): HistoryMessage[] {
  const parts = objectsIn(content["parts"]);
  const answers = parts.flatMap((part): HistoryMessage[] => {
    const result = part["functionResponse"];
    if (!isObject(result)) return [];
    const id = textOf(result["id"]) ?? names.next("result", nameOf(result));
    return [{ role: "tool", text: JSON.stringify(result["response"]), calls: [], answers: id }];
  });
  const words = parts.filter((part) => part["functionResponse"] === undefined);
  const calls = words.flatMap(({ functionCall: call }) =>
    isObject(call) ? [textOf(call["id"]) ?? names.next("call", nameOf(call))] : [],
  );
  const role = content["role"] === "model" ? "assistant" : (textOf(content["role"]) ?? "user");
  return words.length === 0 ? answers : [...answers, { role, text: textIn(words), calls }];
}

/** Puts the items together in which one vendor takes what an assistant says and asks at once. */
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

/** Text, or the texts of a list of parts. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map(({ text }) => textOf(text) ?? "")
    .join("");
}
