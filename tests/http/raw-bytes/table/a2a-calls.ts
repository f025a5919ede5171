import { as, post } from "./entry.ts";
import type { Headers, Seen, Wait } from "./entry.ts";

/** The endpoint of all agents. */
export const endpoint = "/a2a";

/** An address for push notifications. No task of the table notifies it: they are over when it is set. */
export const pushUrl = "https://hooks.example.org/push";

/** Returns the endpoint of one agent. */
export function at(agent: string): string {
  return `${endpoint}/agents/${agent}`;
}

/** Makes a message of the versions 0.2 and 0.3. */
export function message0(text: string) {
  return { kind: "message", messageId: "m1", role: "user", parts: [{ kind: "text", text }] };
}

/** Makes a message of the version 1.0. */
export function message1(text: string) {
  return { messageId: "m1", role: "ROLE_USER", parts: [{ text }] };
}

/** Makes a call of JSON-RPC, to all agents if no path is given. */
export function call(
  method: string,
  params: unknown,
  { headers = as("ada"), path = endpoint }: { headers?: Headers; path?: string } = {},
): Buffer {
  return post(path, { jsonrpc: "2.0", id: 1, method, params }, headers);
}

/** Returns the id of the task in the answer to the request with this title. */
export function taskOf(seen: Seen, title: string): string {
  return seen.match(title, /"(?:id|taskId)":"([\da-f-]{36})"/);
}

/** Makes calls about the task in an earlier answer. */
export function callTask(title: string, method: string, more: object = {}): (seen: Seen) => Buffer {
  return (seen) => call(method, { id: taskOf(seen, title), ...more });
}

/** Waits until the task in an earlier answer has a state. */
export function untilTask(title: string, state: string): (seen: Seen) => Wait {
  return (seen) => ({ request: call("tasks/get", { id: taskOf(seen, title) }), until: `"state":"${state}"` });
}
