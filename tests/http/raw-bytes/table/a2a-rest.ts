import { at, message1, pushUrl, taskOf } from "./a2a-calls.ts";
import { as, get, post, send, sendJson } from "./entry.ts";
import type { Entry, Seen } from "./entry.ts";

const rest = "/a2a/rest";
const ofRest = (seen: Seen, more = ""): string => `${rest}/tasks/${taskOf(seen, "a2a rest: send")}${more}`;

/** Calls of A2A 1.0 over HTTP+JSON. */
export const a2aRestEntries: readonly Entry[] = [
  { title: "a2a rest: send", request: post(`${rest}/message:send`, { message: message1("Hello") }, as("ada")) },
  {
    title: "a2a rest: send, by media type",
    request: post(
      `${rest}/message:send`,
      { message: message1("Hello") },
      as("ada", { "Content-Type": "application/a2a+json" }),
    ),
  },
  {
    title: "a2a rest: send to an agent",
    request: post(`${at("writer")}/rest/message:send`, { message: message1("Hi") }, as("ada")),
  },
  {
    title: "a2a rest: send to a tenant",
    request: post(`${rest}/typed/message:send`, { message: message1("Hi") }, as("ada")),
  },
  { title: "a2a rest: stream", request: post(`${rest}/message:stream`, { message: message1("Hello") }, as("ada")) },
  {
    title: "a2a rest: send, answered at once",
    request: post(
      `${at("stuck")}/rest/message:send`,
      { message: message1("Hi"), configuration: { returnImmediately: true } },
      as("ada"),
    ),
  },
  { title: "a2a rest: get", request: (seen) => get(ofRest(seen), as("ada")) },
  { title: "a2a rest: get with a slash", request: (seen) => get(ofRest(seen, "/?historyLength=1"), as("ada")) },
  { title: "a2a rest: get an unknown task", request: get(`${rest}/tasks/none`, as("ada")) },
  { title: "a2a rest: an unknown parameter", request: (seen) => get(ofRest(seen, "?x=1"), as("ada")) },
  { title: "a2a rest: list", request: get(`${rest}/tasks?pageSize=2`, as("ada")) },
  {
    title: "a2a rest: subscribe to a task that is over",
    request: (seen) => get(ofRest(seen, ":subscribe"), as("ada")),
  },
  {
    title: "a2a rest: cancel",
    request: (seen) =>
      send(
        `POST ${rest}/tasks/${taskOf(seen, "a2a rest: send, answered at once")}:cancel`,
        as("ada", { "Content-Length": "0" }),
      ),
  },
  { title: "a2a rest: cancel a task that is over", request: (seen) => post(ofRest(seen, ":cancel"), {}, as("ada")) },
  {
    title: "a2a rest: create a push config",
    request: (seen) => post(ofRest(seen, "/pushNotificationConfigs"), { id: "p3", url: pushUrl }, as("ada")),
  },
  { title: "a2a rest: list push configs", request: (seen) => get(ofRest(seen, "/pushNotificationConfigs"), as("ada")) },
  {
    title: "a2a rest: get a push config",
    request: (seen) => get(ofRest(seen, "/pushNotificationConfigs/p3"), as("ada")),
  },
  {
    title: "a2a rest: delete a push config",
    request: (seen) => send(`DELETE ${ofRest(seen, "/pushNotificationConfigs/p3")}`, as("ada")),
  },
  { title: "a2a rest: extended card", request: get(`${rest}/extendedAgentCard`, as("ada")) },
  { title: "a2a rest: an unknown path", request: get(`${rest}/nothing`, as("ada")) },
  { title: "a2a rest: the binding itself", request: get(rest, as("ada")) },
  { title: "a2a rest: another method", request: sendJson(`PUT ${rest}/message:send`, {}, as("ada")) },
  { title: "a2a rest: HEAD", request: (seen) => send(`HEAD ${ofRest(seen)}`, as("ada")) },
  { title: "a2a rest: OPTIONS", request: send(`OPTIONS ${rest}/tasks`) },
  { title: "a2a rest: a broken escape", request: get(`${rest}/tasks/%zz`, as("ada")) },
  { title: "a2a rest: JSON that is cut", request: post(`${rest}/message:send`, "{", as("ada")) },
  { title: "a2a rest: another version", request: get(`${rest}/tasks`, as("ada", { "A2A-Version": "0.3" })) },
  { title: "a2a rest: another site", request: get(`${rest}/tasks`, as("ada", { Origin: "https://evil.example" })) },
];
