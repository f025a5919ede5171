import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { measureJson } from "./measure-json.ts";

/** The fields of results that may be large. They are read by us, not by the library. */
const largeFields = ["tools", "resources", "resourceTemplates", "prompts", "contents", "messages", "content"] as const;

/** The field under which the library carries a result past its checks. */
const rawField = "troupe/raw";

/** The most values that a request of a server, an error, or a result without large fields may hold. */
const mostValues = 1000;

/** A result of a server as it came. No field of it has been checked. */
export type RawResult = Readonly<Record<string, unknown>>;

/** The most requests of a server that may wait for their answers at once. Further ones are passed over. */
const mostRequests = 32;

/**
 * Makes a transport pass on messages whose check by the library costs little, whatever the server sent: the library's
 * schemas take up to a hundred times as long as `JSON.parse`, and a client answers others meanwhile. Of requests of the
 * server it passes on no more than `mostRequests` at once. `onAnswer` hears of each answer to a request of ours.
 */
export function passSlimMessages(transport: Transport, onAnswer: (id: unknown) => void = () => {}): void {
  let receive: Transport["onmessage"];
  const waiting = new Set<unknown>();
  const isPassed = (message: JSONRPCMessage): boolean => {
    if (!("method" in message)) {
      onAnswer(message.id);
      return true;
    }
    if (message.method === "notifications/cancelled") waiting.delete(message.params?.["requestId"]);
    if (!("id" in message)) return true;
    if (waiting.size >= mostRequests) return false;
    waiting.add(message.id);
    return true;
  };
  Object.defineProperty(transport, "onmessage", {
    set: (receiver: Transport["onmessage"]) => {
      receive = receiver;
    },
    // The receiver of this moment: the library calls the earlier one from within the later.
    get: (): Transport["onmessage"] => {
      const receiver = receive;
      return receiver && ((message, extra) => void (isPassed(message) && receiver(slimMessage(message), extra)));
    },
  });
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    try {
      await send(message, options);
    } finally {
      for (const each of [message].flat()) if (!("method" in each)) waiting.delete(each.id);
    }
  };
}

/** Returns the result as the server sent it. */
export function rawResultOf(result: object): RawResult {
  return ((result as Record<string, unknown>)[rawField] ?? result) as RawResult;
}

/** Takes from a message what costs the library much to check. What it cannot do without is refused in its place. */
function slimMessage(message: JSONRPCMessage): JSONRPCMessage {
  if ("result" in message) return slimResult(message);
  if ("error" in message) return isSmall(message.error.data) ? message : withoutErrorData(message);
  if (!("id" in message) || isSmall(message.params)) return message;
  // The library answers a request without a handler by an error.
  return { jsonrpc: "2.0", id: message.id, method: "troupe/too-large-request" };
}

type WithResult = Extract<JSONRPCMessage, { result: unknown }>;
type WithError = Extract<JSONRPCMessage, { error: unknown }>;

function slimResult(message: WithResult): JSONRPCMessage {
  const raw: RawResult = message.result;
  const large = largeFields.filter((field) => Array.isArray(raw[field]));
  if (large.length === 0 && !Object.hasOwn(raw, "structuredContent")) {
    return isSmall(raw) ? message : refuse(message);
  }
  const { resultType, isError, ttlMs, cacheScope } = raw;
  const small = { resultType, isError, ttlMs, cacheScope };
  const kept = Object.fromEntries(Object.entries(small).filter(([, value]) => value !== undefined));
  const emptied = Object.fromEntries(large.map((field) => [field, []]));
  return { jsonrpc: "2.0", id: message.id, result: { content: [], ...kept, ...emptied, [rawField]: raw } };
}

function isSmall(value: unknown): boolean {
  return measureJson(value, { values: mostValues }).exceeded === undefined;
}

/** Marks the error that stands for an answer that is larger than its kind may be. */
export const tooLargeMark = "troupe.answer-too-large";

function refuse({ id }: WithResult): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: "The answer is too large.", data: tooLargeMark } };
}

function withoutErrorData({ id, error: { code, message } }: WithError): JSONRPCMessage {
  return { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } };
}
