import fc from "fast-check";
import { message1 } from "./requests.ts";

/** A request of HTTP+JSON that a client may send, and the status that must come of it, where it can be told. */
export type AnyRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly status?: number;
};

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const json = { "content-type": "application/json" };

/** The paths that a client may call, with the methods that are right. */
const routes: readonly (readonly [path: string, methods: readonly string[]])[] = [
  ["message:send", ["POST"]],
  ["message:stream", ["POST"]],
  ["tasks", ["GET"]],
  ["tasks/t", ["GET"]],
  ["tasks/t:cancel", ["POST"]],
  ["tasks/t:subscribe", ["GET", "POST"]],
  ["tasks/t/pushNotificationConfigs", ["GET", "POST"]],
  ["tasks/t/pushNotificationConfigs/c", ["GET", "DELETE"]],
  ["extendedAgentCard", ["GET"]],
];

const tenants = fc.constantFrom("", "a/", "helper/", "nobody/", "tasks/", "%41/");
const slash = fc.constantFrom("", "/");

/** A path of the protocol, called by a method that it does not take. */
const wrongMethod: fc.Arbitrary<AnyRequest> = fc
  .tuple(fc.constantFrom(...routes), fc.constantFrom(...methods), tenants, slash)
  .map(([[path, right], method, tenant, end]) => {
    // With a tenant of that name, a path may be that of a task.
    const status = right.includes(method) || tenant === "tasks/" ? undefined : 405;
    const request = { method, path: `${tenant}${path}${end}`, headers: {} };
    return status === undefined ? request : { ...request, status };
  });

/** Ids of tasks that there are not, in every spelling. */
const ids = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }).map((id) => encodeURIComponent(id.toWellFormed())),
  fc.constantFrom("%2e%2e", "..%2F..", "%00", "constructor", "__proto__", "%F0%9F%98%80", "a".repeat(5000), "~", "'"),
);

const unknownTask: fc.Arbitrary<AnyRequest> = fc
  .tuple(ids, tenants, fc.constantFrom(["GET", ""], ["POST", ":cancel"], ["POST", ":subscribe"], ["GET", ":subscribe"]))
  .filter(([id]) => !/^\.{1,2}$/.test(id))
  .map(([id, tenant, [method = "", verb = ""]]) => {
    const isBlank = decodeURIComponent(id).trim() === "";
    return { method, path: `${tenant}tasks/${id}${verb}`, headers: {}, status: isBlank ? 400 : 404 };
  });

const wrongPath: fc.Arbitrary<AnyRequest> = fc
  .tuple(
    fc.constantFrom(...methods),
    fc.constantFrom(
      "",
      "v1/card",
      "messages",
      "tasks/t/x",
      "message%3Asend",
      "tasks:x",
      "a//tasks",
      "%ff",
      "a/b/tasks",
      "a:b/tasks",
    ),
  )
  .map(([method, path]) => ({ method, path, headers: {}, status: 404 }));

const wrongEncoding: fc.Arbitrary<AnyRequest> = fc
  .tuple(fc.constantFrom("%", "%f", "%ff", "%C3", "a%zz", "%ED%A0%80"), fc.constantFrom("tasks/ID", "ID/tasks"))
  .map(([id, path]) => ({ method: "GET", path: path.replace("ID", id), headers: {}, status: 400 }));

/** Queries of a listing, each with the status that it brings. */
const queries: readonly (readonly [query: string, status: number])[] = [
  ["", 200],
  ["pageSize=1", 200],
  ["pageSize=", 200],
  ["status=TASK_STATE_WORKING&includeArtifacts=false", 200],
  ["contextId=%00&historyLength=0", 200],
  ["unknown=1&unknown=2&__proto__=x", 200],
  ["page_size=1000", 200],
  ["A2A-Version=1.0.3", 200],
  ["A2A-Version=2.0", 400],
  ["pageSize=101", 400],
  ["pageSize=1e1", 400],
  ["pageSize=1&pageSize=1", 400],
  ["pageToken=%ff", 400],
  ["status=constructor", 400],
  ["includeArtifacts=1", 400],
  ["historyLength=99999999999999999999", 400],
  ["statusTimestampAfter=2026-13-45T00:00:00Z", 400],
];

const listing: fc.Arbitrary<AnyRequest> = fc
  .tuple(fc.constantFrom(...queries), tenants)
  // There it is the task of that id.
  .filter(([, tenant]) => tenant !== "tasks/")
  .map(([[query, status], tenant]) => ({ method: "GET", path: `${tenant}tasks?${query}`, headers: {}, status }));

const anyQuery: fc.Arbitrary<AnyRequest> = fc
  .tuple(fc.constantFrom("tasks", "tasks/t"), fc.webQueryParameters())
  .map(([path, query]) => ({ method: "GET", path: `${path}?${query}`, headers: {} }));

/** Bodies of a message, each with the status that it brings. */
const bodies: readonly (readonly [body: string, status: number])[] = [
  ["", 400],
  ["{", 400],
  ["null", 400],
  ["[]", 400],
  ['"hi"', 400],
  ["{}", 400],
  ['{"":1}', 400],
  [JSON.stringify({ message: message1, tenant: "nobody" }), 400],
  [JSON.stringify({ message: { ...message1, parts: [] } }), 400],
  [JSON.stringify({ message: { ...message1, role: "user" } }), 400],
  [JSON.stringify({ message: { ...message1, taskId: "t" } }), 404],
  [JSON.stringify({ message: message1, configuration: { historyLength: -1 } }), 400],
  [JSON.stringify({ message: { ...message1, metadata: { a: "\ud800" } } }), 400],
  [`{"metadata":${"[".repeat(2000)}${"]".repeat(2000)}}`, 400],
  [JSON.stringify({ message: message1, later: [{}] }), 200],
  [JSON.stringify({ message: message1, configuration: { returnImmediately: true } }), 200],
];

const sending: fc.Arbitrary<AnyRequest> = fc
  .tuple(fc.constantFrom("message:send", "message:stream"), fc.constantFrom(...bodies))
  .map(([path, [body, status]]) => ({ method: "POST", path, headers: json, body, status }));

const anyBody: fc.Arbitrary<AnyRequest> = fc
  .tuple(
    fc.constantFrom(
      "message:send",
      "message:stream",
      "tasks/t:cancel",
      "tasks/t:subscribe",
      "tasks/t/pushNotificationConfigs",
    ),
    fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((message) => JSON.stringify({ message })),
      fc.jsonValue().map((url) => JSON.stringify({ url, token: url, authentication: { scheme: url } })),
      fc.jsonValue().map((parts) => JSON.stringify({ message: { ...message1, parts: [parts] } })),
    ),
  )
  .map(([path, body]) => ({ method: "POST", path, headers: json, body }));

const wrongType: fc.Arbitrary<AnyRequest> = fc
  .tuple(
    fc.constantFrom("message:send", "tasks/t:cancel"),
    fc.constantFrom("text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=utf-16"),
  )
  .map(([path, type]) => ({ method: "POST", path, headers: { "content-type": type }, body: "{}", status: 415 }));

const wrongVersion: fc.Arbitrary<AnyRequest> = fc
  .tuple(fc.constantFrom(...routes), fc.constantFrom("0.3", "0.2.5", "2", "99.0", "next", "constructor"))
  .map(([[path, [method = ""]], version]) => ({ method, path, headers: { "a2a-version": version }, status: 400 }));

/** Requests of every kind: right, wrong in one place, and anything. */
export const anyRequest: fc.Arbitrary<AnyRequest> = fc.oneof(
  wrongMethod,
  unknownTask,
  wrongPath,
  wrongEncoding,
  listing,
  anyQuery,
  sending,
  anyBody,
  wrongType,
  wrongVersion,
  fc.tuple(fc.constantFrom(...methods), fc.webPath()).map(([method, path]) => {
    return { method, path: path.slice(1), headers: {} };
  }),
);
