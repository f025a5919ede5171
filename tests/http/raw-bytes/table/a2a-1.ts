import { at, call, callTask, endpoint, message1, pushUrl, taskOf } from "./a2a-calls.ts";
import { post, send } from "./entry.ts";
import type { Entry } from "./entry.ts";

/** Calls of A2A 1.0 over JSON-RPC. */
export const a2a1Entries: readonly Entry[] = [
  { title: "a2a 1.0: send", request: call("SendMessage", { message: message1("Hello") }) },
  { title: "a2a 1.0: send to a tenant", request: call("SendMessage", { message: message1("Who?"), tenant: "typed" }) },
  {
    title: "a2a 1.0: send to an unknown tenant",
    request: call("SendMessage", { message: message1("Hi"), tenant: "nobody" }),
  },
  {
    title: "a2a 1.0: send, answered at once",
    request: call(
      "SendMessage",
      { message: message1("Hi"), configuration: { returnImmediately: true } },
      { path: at("stuck") },
    ),
  },
  { title: "a2a 1.0: stream", request: call("SendStreamingMessage", { message: message1("weather") }) },
  { title: "a2a 1.0: get", request: callTask("a2a 1.0: send", "GetTask") },
  { title: "a2a 1.0: subscribe to a task that is over", request: callTask("a2a 1.0: send", "SubscribeToTask") },
  {
    title: "a2a 1.0: subscribe",
    request: callTask("a2a 1.0: send, answered at once", "SubscribeToTask"),
    goOnAt: "data: ",
  },
  { title: "a2a 1.0: cancel", request: callTask("a2a 1.0: send, answered at once", "CancelTask") },
  { title: "a2a 1.0: list", request: call("ListTasks", { pageSize: 3 }) },
  {
    title: "a2a 1.0: list by state",
    request: call("ListTasks", { status: "TASK_STATE_CANCELED", includeArtifacts: true }),
  },
  {
    title: "a2a 1.0: list the next page",
    request: (seen) =>
      call("ListTasks", { pageSize: 3, pageToken: seen.match("a2a 1.0: list", /"nextPageToken":"([^"]+)"/) }),
  },
  { title: "a2a 1.0: list without a user", request: call("ListTasks", {}, { headers: {} }) },
  { title: "a2a 1.0: list too many", request: call("ListTasks", { pageSize: 1000 }) },
  {
    title: "a2a 1.0: create a push config",
    request: (seen) =>
      call("CreateTaskPushNotificationConfig", { taskId: taskOf(seen, "a2a 1.0: send"), id: "p2", url: pushUrl }),
  },
  {
    title: "a2a 1.0: get a push config",
    request: (seen) => call("GetTaskPushNotificationConfig", { taskId: taskOf(seen, "a2a 1.0: send"), id: "p2" }),
  },
  {
    title: "a2a 1.0: list push configs",
    request: (seen) => call("ListTaskPushNotificationConfigs", { taskId: taskOf(seen, "a2a 1.0: send") }),
  },
  {
    title: "a2a 1.0: delete a push config",
    request: (seen) => call("DeleteTaskPushNotificationConfig", { taskId: taskOf(seen, "a2a 1.0: send"), id: "p2" }),
  },
  { title: "a2a 1.0: extended card", request: call("GetExtendedAgentCard", {}) },
  {
    title: "a2a 1.0: a part with two contents",
    request: call("SendMessage", { message: { ...message1("Hi"), parts: [{ text: "x", url: pushUrl }] } }),
  },
];

/** Calls over JSON-RPC that no version can answer. */
export const a2aErrorEntries: readonly Entry[] = [
  { title: "a2a: an unknown method", request: call("message/other", {}) },
  {
    title: "a2a: an unknown version",
    request: call("SendMessage", { message: message1("Hi") }, { headers: { "A2A-Version": "9.0" } }),
  },
  { title: "a2a: JSON that is cut", request: post(endpoint, '{"jsonrpc":') },
  { title: "a2a: a batch", request: post(endpoint, []) },
  { title: "a2a: no JSON-RPC", request: post(endpoint, { id: 7, method: "tasks/get" }) },
  { title: "a2a: no body", request: send(`POST ${endpoint}`, { "Content-Length": "0" }) },
  { title: "a2a: plain text", request: post(endpoint, "Hi", { "Content-Type": "text/plain" }) },
  {
    title: "a2a: too large",
    request: send(`POST ${endpoint}`, { "Content-Type": "application/json", "Content-Length": "9999999999" }),
  },
  {
    title: "a2a: another site",
    request: call("SendMessage", { message: message1("Hi") }, { headers: { Origin: "https://evil.example" } }),
  },
  {
    title: "a2a: an allowed origin",
    request: call("GetTask", { id: "none" }, { headers: { Origin: "https://app.example" } }),
  },
  {
    title: "a2a: a host that is not allowed",
    request: call("GetTask", { id: "none" }, { headers: { Host: "evil.example" } }),
  },
  { title: "a2a: an unknown agent", request: call("GetTask", { id: "none" }, { path: at("nobody") }) },
  { title: "a2a: a slash at the end", request: call("GetTask", { id: "none" }, { path: "/a2a/" }) },
  { title: "a2a: upper case", request: call("GetTask", { id: "none" }, { path: "/A2A" }) },
  { title: "a2a: OPTIONS", request: send(`OPTIONS ${endpoint}`) },
  { title: "a2a: DELETE", request: send(`DELETE ${endpoint}`) },
  { title: "a2a: a broken escape", request: call("GetTask", { id: "none" }, { path: "/a2a/agents/%zz" }) },
];
