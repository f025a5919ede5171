import { dialect02 } from "../wire/dialect-0.ts";
import { dialect1 } from "../wire/dialect-1.ts";
import type { A2AMessage } from "../wire/task.ts";
import type { RemoteInterface } from "./remote-interfaces.ts";

/**
 * A call to a remote agent. The answer to a sent message is the task at its start; the client follows the task from
 * there.
 */
export type RemoteCall =
  | { readonly op: "send" | "stream"; readonly message: A2AMessage; readonly outputModes?: readonly string[] }
  | { readonly op: "get" | "cancel" | "subscribe"; readonly id: string };

/** A call to a remote agent as it is sent over HTTP: address, method and body. */
export type WrittenCall = { url: URL; method: "GET" | "POST"; body?: string; headers: Record<string, string> };

const methods0 = {
  send: "message/send",
  stream: "message/stream",
  get: "tasks/get",
  cancel: "tasks/cancel",
  subscribe: "tasks/resubscribe",
} as const satisfies Record<RemoteCall["op"], string>;

const methods1 = {
  send: "SendMessage",
  stream: "SendStreamingMessage",
  get: "GetTask",
  cancel: "CancelTask",
  subscribe: "SubscribeToTask",
} as const satisfies Record<RemoteCall["op"], string>;

/** Returns true if the answer to a call to a remote agent is a stream. */
function isStreamed({ op }: RemoteCall): boolean {
  return op === "stream" || op === "subscribe";
}

/** Writes a call for an interface, in its version and binding. `id` is the id of the JSON-RPC request. */
export function writeCall(call: RemoteCall, at: RemoteInterface, id: string): WrittenCall {
  const accept = isStreamed(call) ? "text/event-stream, application/json" : "application/json";
  if (at.binding === "HTTP+JSON") return writeRest(call, at, `${accept}, application/a2a+json`);
  const is1 = at.version === "1.0";
  const method = (is1 ? methods1 : methods0)[call.op];
  const params = is1 ? { ...params1(call), ...tenantOf(at) } : params0(call, at);
  return {
    url: at.url,
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
    headers: { accept, "content-type": "application/json", ...(is1 && { "a2a-version": "1.0" }) },
  };
}

function tenantOf({ tenant }: RemoteInterface): { tenant?: string } {
  return tenant === undefined ? {} : { tenant };
}

function params1(call: RemoteCall): object {
  if ("id" in call) return { id: call.id };
  // The 1.0 dialect returns a message inside the field `message`, which is also the field of a request.
  return {
    ...dialect1.writeEvent({ type: "message", message: call.message }),
    configuration: { returnImmediately: true },
  };
}

/**
 * Builds the parameters for A2A 0.x. In 0.2 a configuration must list the accepted media types: the default types of
 * the card, or else plain text and JSON.
 */
function params0(call: RemoteCall, { version }: RemoteInterface): object {
  if ("id" in call) return { id: call.id };
  const modes = version === "0.2" && { acceptedOutputModes: call.outputModes ?? ["text/plain", "application/json"] };
  const message = dialect02.writeEvent({ type: "message", message: call.message });
  return { message, configuration: { ...modes, blocking: false } };
}

function writeRest(call: RemoteCall, at: RemoteInterface, accept: string): WrittenCall {
  const { path, method } = restPath(call);
  const url = new URL(at.url);
  const tenant = at.tenant === undefined ? "" : `/${encodeURIComponent(at.tenant)}`;
  url.pathname = url.pathname.replace(/\/+$/, "") + tenant + path;
  const headers = { accept, "a2a-version": "1.0" };
  if (method === "GET") return { url, method, headers };
  const body = JSON.stringify({ ...("message" in call && params1(call)), ...tenantOf(at) });
  return { url, method, body, headers: { ...headers, "content-type": "application/json" } };
}

function restPath(call: RemoteCall): { path: string; method: "GET" | "POST" } {
  if ("message" in call) return { path: `/message:${call.op}`, method: "POST" };
  const task = `/tasks/${encodeURIComponent(call.id)}`;
  return call.op === "get" ? { path: task, method: "GET" } : { path: `${task}:${call.op}`, method: "POST" };
}
