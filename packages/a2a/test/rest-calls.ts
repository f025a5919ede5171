import assert from "node:assert/strict";
import { problems1 } from "./schemas.ts";
import { framesOf } from "./serve-a2a.ts";
import type { CallOptions, Received, Reply } from "./serve-a2a.ts";

/** Parameters of a call as the methods of JSON-RPC have them. */
type Params = Record<string, unknown>;

/** An HTTP request of the binding: what is left of the parameters is its body. */
type RestRequest = { method: "GET" | "POST" | "DELETE"; path: string; rest: Params };

const text = (value: unknown): string => encodeURIComponent(String(value));

/** The request for each method of 1.0. */
const requests: Readonly<Record<string, (params: Params) => RestRequest>> = {
  SendMessage: (rest) => ({ method: "POST", path: "message:send", rest }),
  SendStreamingMessage: (rest) => ({ method: "POST", path: "message:stream", rest }),
  GetTask: ({ id, ...rest }) => ({ method: "GET", path: `tasks/${text(id)}`, rest }),
  ListTasks: (rest) => ({ method: "GET", path: "tasks", rest }),
  CancelTask: ({ id, ...rest }) => ({ method: "POST", path: `tasks/${text(id)}:cancel`, rest }),
  SubscribeToTask: ({ id, ...rest }) => ({ method: "POST", path: `tasks/${text(id)}:subscribe`, rest }),
  CreateTaskPushNotificationConfig: ({ taskId, ...rest }) => ({ method: "POST", path: configs(taskId), rest }),
  ListTaskPushNotificationConfigs: ({ taskId, ...rest }) => ({ method: "GET", path: configs(taskId), rest }),
  GetTaskPushNotificationConfig: ({ taskId, id, ...rest }) => {
    return { method: "GET", path: `${configs(taskId)}/${text(id)}`, rest };
  },
  DeleteTaskPushNotificationConfig: ({ taskId, id, ...rest }) => {
    return { method: "DELETE", path: `${configs(taskId)}/${text(id)}`, rest };
  },
  GetExtendedAgentCard: (rest) => ({ method: "GET", path: "extendedAgentCard", rest }),
};

function configs(taskId: unknown): string {
  return `tasks/${text(taskId)}/pushNotificationConfigs`;
}

/** A call by the name of its method in JSON-RPC. */
export type RestCall = { name: string; params: object; options: CallOptions };

/** Sends the request for a method; a method that is not known is a path that is not known. */
async function send(url: string, { name, params, options }: RestCall): Promise<Response> {
  const { method, path, rest } = requests[name]?.({ ...params }) ?? { method: "GET", path: name, rest: {} };
  const { as, headers, signal } = options;
  const query = new URLSearchParams();
  if (method !== "POST") for (const [field, value] of Object.entries(rest)) query.set(field, String(value));
  return await fetch(`${url}${options.path ?? ""}/rest/${path}${query.size === 0 ? "" : `?${query.toString()}`}`, {
    method,
    headers: { ...(method === "POST" && { "content-type": "application/json" }), ...withUser(as), ...headers },
    ...(method === "POST" && { body: JSON.stringify(rest) }),
    ...(signal && { signal }),
  });
}

function withUser(as: string | undefined): Record<string, string> {
  return as === undefined ? {} : { "x-user": as };
}

/** The codes of JSON-RPC for the reasons of A2A. */
const codes: Readonly<Record<string, number>> = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32007,
  VERSION_NOT_SUPPORTED: -32009,
};

/** An error of the binding. */
type RestError = { error: { code: number; status: string; message: string; details: { reason?: string }[] } };

/** Calls over HTTP+JSON; an error gets the code that JSON-RPC would have. Checks that the body of an error is one of google.rpc. */
export async function callRest(url: string, call: RestCall): Promise<Reply> {
  const response = await send(url, call);
  const { status, headers } = response;
  const body = (await response.json()) as RestError;
  if (response.ok) return { status, headers, id: null, result: body, error: undefined } as unknown as Reply;
  assert.deepEqual(problems1("RestError", body), []);
  const { code, message, details } = body.error;
  assert.equal(code, status);
  const ofStatus = { 400: -32602, 404: -32601 }[status] ?? -32603;
  const error = { code: codes[details[0]?.reason ?? ""] ?? ofStatus, message, data: details };
  return { status, headers, id: null, error } as unknown as Reply;
}

/** Opens a stream over HTTP+JSON, and yields its events. */
export async function* streamRest(url: string, call: RestCall): AsyncGenerator<Received, void> {
  const response = await send(url, call);
  if (response.headers.get("content-type") !== "text/event-stream") {
    throw new Error(`Expected a stream, got ${await response.text()}`);
  }
  for await (const frame of framesOf(response)) yield frame as Received;
}
