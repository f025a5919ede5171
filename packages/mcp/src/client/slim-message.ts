import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { measureJson } from "./measure-json.ts";

/** Fields of an MCP server's results that may be large. This package reads them, not the library. */
const largeFields = ["tools", "resources", "resourceTemplates", "prompts", "contents", "messages", "content"] as const;

/** The field in which the library passes on an unchecked result. */
const rawField = "troupe/raw";

/** Largest number of values in a server's request, in an error, or in a result without large fields. */
const mostValues = 1000;

/** An MCP server's result as received. No field has been checked. */
export type RawResult = Readonly<Record<string, unknown>>;

/** Largest number of unanswered requests of an MCP server. Further requests are ignored. */
const mostRequests = 32;

/**
 * Makes a transport pass on only messages that the library checks cheaply, whatever the server sent. The library's
 * schemas take up to a hundred times as long as `JSON.parse` and block the process. At most `mostRequests` requests of
 * the server are passed on at once. `onAnswer` is called for each answer to our requests.
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
    // Returns the handler that was last set, wrapped by the filter. The library reads this handler and then sets its
    // own handler, which calls it. The returned function must therefore not look up `receive` later.
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

/** Returns the server's unchecked result for which a slim result stands. */
export function rawResultOf(result: object): RawResult {
  return ((result as Record<string, unknown>)[rawField] ?? result) as RawResult;
}

/**
 * Removes the parts of an MCP server's message that are expensive to check. Replaces a result that cannot be reduced by
 * an error, and a large request by a request that the library refuses.
 */
function slimMessage(message: JSONRPCMessage): JSONRPCMessage {
  if ("result" in message) return slimResult(message);
  if ("error" in message) return isSmall(message.error.data) ? message : withoutErrorData(message);
  if (!("id" in message) || isSmall(message.params)) return message;
  // The library answers a request without a handler with an error.
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

/** Marks the error that stands for an MCP server's answer that is too large. */
export const tooLargeMark = "troupe.answer-too-large";

function refuse({ id }: WithResult): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: "The answer is too large.", data: tooLargeMark } };
}

function withoutErrorData({ id, error: { code, message } }: WithError): JSONRPCMessage {
  return { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } };
}
