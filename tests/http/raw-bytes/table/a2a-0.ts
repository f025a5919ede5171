import { at, call, callTask, message0, pushUrl, taskOf, untilTask } from "./a2a-calls.ts";
import { as } from "./entry.ts";
import type { Entry } from "./entry.ts";

const entries03: readonly Entry[] = [
  { title: "a2a 0.3: send", request: call("message/send", { message: message0("Hello") }) },
  {
    title: "a2a 0.3: send, durable",
    request: call("message/send", { message: message0("Hello") }, { path: at("writer") }),
  },
  {
    title: "a2a 0.3: send, by metadata",
    request: call("message/send", { message: { ...message0("Who?"), metadata: { agent: "typed" } } }),
  },
  {
    title: "a2a 0.3: send in a context",
    request: call("message/send", { message: { ...message0("Hello"), contextId: "x1" } }),
  },
  {
    title: "a2a 0.3: send a file",
    request: call("message/send", {
      message: {
        ...message0("See."),
        parts: [{ kind: "file", file: { bytes: "QSBub3RlLg==", mimeType: "text/plain" } }],
      },
    }),
  },
  {
    title: "a2a 0.3: send, answered at once",
    request: call(
      "message/send",
      { message: message0("Hi"), configuration: { blocking: false } },
      { path: at("stuck") },
    ),
  },
  {
    title: "a2a 0.3: send to an agent that fails",
    request: call("message/send", { message: message0("Hi") }, { path: at("failing") }),
  },
  {
    title: "a2a 0.3: send to a team",
    request: call("message/send", { message: message0("Hi") }, { path: at("desk") }),
  },
  {
    title: "a2a 0.3: send, a question",
    request: call("message/send", { message: message0("Print") }, { path: at("printer") }),
  },
  {
    title: "a2a 0.3: the answer to it",
    request: (seen) => {
      const message = { ...message0("A3"), taskId: taskOf(seen, "a2a 0.3: send, a question") };
      return call("message/send", { message }, { path: at("printer") });
    },
  },
  {
    title: "a2a 0.3: send, an approval",
    request: call("message/send", { message: message0("pay") }, { path: at("cashier") }),
  },
  {
    title: "a2a 0.3: yes",
    request: (seen) => {
      const message = { ...message0("yes"), taskId: taskOf(seen, "a2a 0.3: send, an approval") };
      return call("message/send", { message }, { path: at("cashier") });
    },
  },
  { title: "a2a 0.3: stream", request: call("message/stream", { message: message0("Hello") }) },
  {
    title: "a2a 0.3: stream, durable",
    request: call("message/stream", { message: message0("weather") }, { path: at("writer") }),
  },
  {
    title: "a2a 0.3: stream of an agent that fails",
    request: call("message/stream", { message: message0("Hi") }, { path: at("failing") }),
  },
  { title: "a2a 0.3: get", request: callTask("a2a 0.3: send", "tasks/get") },
  { title: "a2a 0.3: get without history", request: callTask("a2a 0.3: send", "tasks/get", { historyLength: 0 }) },
  {
    title: "a2a 0.3: get of another user",
    request: (seen) => call("tasks/get", { id: taskOf(seen, "a2a 0.3: send") }, { headers: as("bob") }),
  },
  { title: "a2a 0.3: get an unknown task", request: call("tasks/get", { id: "none" }) },
  { title: "a2a 0.3: get without an id", request: call("tasks/get", {}) },
  { title: "a2a 0.3: resubscribe", request: callTask("a2a 0.3: stream, durable", "tasks/resubscribe") },
  { title: "a2a 0.3: cancel", request: callTask("a2a 0.3: send, answered at once", "tasks/cancel") },
  {
    title: "a2a 0.3: cancel a task that is over",
    request: callTask("a2a 0.3: send", "tasks/cancel"),
    before: untilTask("a2a 0.3: send", "completed"),
  },
  { title: "a2a 0.3: cancel an unknown task", request: call("tasks/cancel", { id: "none" }) },
  {
    title: "a2a 0.3: set a push config",
    request: (seen) =>
      call("tasks/pushNotificationConfig/set", {
        taskId: taskOf(seen, "a2a 0.3: send"),
        pushNotificationConfig: { id: "p1", url: pushUrl, token: "t" },
      }),
  },
  {
    title: "a2a 0.3: set a push config with a private address",
    request: (seen) =>
      call("tasks/pushNotificationConfig/set", {
        taskId: taskOf(seen, "a2a 0.3: send"),
        pushNotificationConfig: { url: "http://127.0.0.1/" },
      }),
  },
  { title: "a2a 0.3: get a push config", request: callTask("a2a 0.3: send", "tasks/pushNotificationConfig/get") },
  { title: "a2a 0.3: list push configs", request: callTask("a2a 0.3: send", "tasks/pushNotificationConfig/list") },
  {
    title: "a2a 0.3: delete a push config",
    request: callTask("a2a 0.3: send", "tasks/pushNotificationConfig/delete", { pushNotificationConfigId: "p1" }),
  },
  { title: "a2a 0.3: extended card", request: call("agent/getAuthenticatedExtendedCard", {}) },
  {
    title: "a2a 0.3: extended card without a user",
    request: call("agent/getAuthenticatedExtendedCard", {}, { headers: {} }),
  },
  {
    title: "a2a 0.3: a user who is refused",
    request: call("message/send", { message: message0("Hi") }, { headers: as("intruder") }),
  },
];

/** The header that tells 0.2 from 0.3. */
const old = { headers: as("ada", { "A2A-Version": "0.2" }) };

const entries02: readonly Entry[] = [
  { title: "a2a 0.2: send", request: call("message/send", { message: message0("Hello") }, old) },
  { title: "a2a 0.2: stream", request: call("message/stream", { message: message0("Hello") }, old) },
  { title: "a2a 0.2: get", request: (seen) => call("tasks/get", { id: taskOf(seen, "a2a 0.2: send") }, old) },
  { title: "a2a 0.2: an unknown method", request: call("tasks/list", {}, old) },
];

/** Calls of A2A 0.3 and 0.2 over JSON-RPC. */
export const a2a0Entries: readonly Entry[] = [...entries03, ...entries02];
