import { describe, expect, it } from "vitest";
import { problems1 } from "../../test/schemas.ts";
import { framesOf, message1, scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import type { Received } from "../../test/serve-a2a.ts";

const json = { "content-type": "application/json" };
const a2aType = "application/a2a+json";

const hello = (text = "Good day.") => scriptedAgent(Array.from({ length: 9 }, () => ({ text })));

/** An answer of the binding: the result, or an error. */
type RestReply = { status: number; headers: Headers; result: Received; error: Record<string, unknown> };

/** Serves an agent, and calls it as a client of HTTP+JSON does by hand. */
async function serveRest(options: Partial<Parameters<typeof serveA2A>[0]> = {}) {
  const served = await serveA2A({ agents: { helper: hello() }, ...options }, "ada");
  const base = `${served.url}${options.basePath ?? ""}`;
  const call = async (method: string, path: string, init: RequestInit = {}): Promise<RestReply> => {
    const response = await fetch(`${base}${path}`, { method, ...init });
    const { status, headers } = response;
    const body = (await response.json()) as { error: Record<string, unknown> };
    expect(response.ok ? [] : problems1("RestError", body)).toEqual([]);
    return { status, headers, result: body as unknown as Received, error: body.error };
  };
  const post = async (path: string, body: unknown, headers: Record<string, string> = json) =>
    await call("POST", path, { headers, body: typeof body === "string" ? body : JSON.stringify(body) });
  return { served, base, call, post };
}

// The names in front of the titles are those of the requirement table of A2A 1.0.
describe("requirements of A2A 1.0 on HTTP+JSON [a2a.requirements-rest]", () => {
  it("HTTP_JSON-URL-001, HTTP_JSON-URL-002: operations are paths of resources, each with its HTTP methods", async () => {
    const { call, post } = await serveRest();
    const { result } = await post("/rest/message:send", message1("Hi"));
    const { id } = result.task;
    expect((await call("GET", `/rest/tasks/${id}`)).result).toEqual(result.task);
    expect((await call("GET", "/rest/tasks")).result.tasks.map((task) => task.id)).toEqual([id]);
    expect(await call("POST", `/rest/tasks/${id}:cancel`)).toMatchObject({ status: 400 });
    for (const method of ["GET", "POST"]) {
      expect(await call(method, `/rest/tasks/${id}:subscribe`)).toMatchObject({ status: 400 });
    }
    for (const [method, path, allow] of [
      ["GET", "/rest/message:send", "POST"],
      ["POST", "/rest/tasks", "GET"],
      ["GET", `/rest/tasks/${id}:cancel`, "POST"],
      ["PUT", `/rest/tasks/${id}:subscribe`, "GET, POST"],
      ["DELETE", `/rest/tasks/${id}`, "GET"],
    ] as const) {
      const wrong = await call(method, path);
      expect(wrong).toMatchObject({ status: 405, error: { status: "UNIMPLEMENTED" } });
      expect(wrong.headers.get("allow")).toBe(allow);
    }
    for (const path of ["/rest", "/rest/", "/rest/messages", "/rest/tasks/a/b", "/rest/a/b/c/d/e", "/rest//tasks"]) {
      expect(await call("GET", path)).toMatchObject({ status: 404, error: { status: "NOT_FOUND" } });
    }
  });

  it("HTTP_JSON-SVC-001: bodies are application/json, and application/a2a+json for clients that name it", async () => {
    const { call, post } = await serveRest();
    const typeOf = async (headers: Record<string, string>, body: unknown = message1("Hi")) =>
      (await post("/rest/message:send", body, headers)).headers.get("content-type");
    expect(await typeOf(json)).toBe("application/json");
    expect(await typeOf({ ...json, accept: "*/*" })).toBe("application/json");
    expect(await typeOf({ ...json, accept: `${a2aType}, application/json` })).toBe(a2aType);
    expect(await typeOf({ "content-type": a2aType })).toBe(a2aType);
    expect(await typeOf({ "content-type": a2aType }, {})).toBe(a2aType);
    expect((await call("GET", "/rest/tasks")).headers.get("content-type")).toBe("application/json");
  });

  it("HTTP_JSON-SVC-002, VER-SERVER-002, VER-SERVER-003: the version is a header, or in the query", async () => {
    const { call, post } = await serveRest();
    for (const version of ["1.0", "1.0.7", "", " "]) {
      const sent = await post("/rest/message:send", message1("Hi"), { ...json, "a2a-version": version });
      expect(sent.status).toBe(200);
    }
    expect((await call("GET", "/rest/tasks?A2A-Version=1.0")).status).toBe(200);
    for (const wrong of [
      await post("/rest/message:send", message1("Hi"), { ...json, "a2a-version": "99.0" }),
      await call("GET", "/rest/tasks?A2A-Version=0.3"),
    ]) {
      expect(wrong).toMatchObject({ status: 400, error: { details: [{ reason: "VERSION_NOT_SUPPORTED" }] } });
    }
  });

  it("HTTP_JSON-QP-001: parameters of a query are in camel case, and are checked", async () => {
    const { call, post } = await serveRest();
    for (const text of ["a", "b", "c"]) await post("/rest/message:send", message1(text, { contextId: `c-${text}` }));
    const page = await call("GET", "/rest/tasks?pageSize=2&includeArtifacts=true&historyLength=0&other=1&status=");
    expect(page.result).toMatchObject({ pageSize: 2, totalSize: 3 });
    expect(page.result.tasks.map(({ artifacts, history }) => [artifacts.length, history])).toEqual([
      [1, undefined],
      [1, undefined],
    ]);
    const rest = await call("GET", `/rest/tasks?pageSize=2&pageToken=${page.result.nextPageToken}`);
    expect(rest.result).toMatchObject({ tasks: [{}], nextPageToken: "" });
    expect((await call("GET", "/rest/tasks?contextId=c-b")).result.totalSize).toBe(1);
    expect((await call("GET", "/rest/tasks?status=TASK_STATE_FAILED")).result.totalSize).toBe(0);
    const since = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    expect((await call("GET", `/rest/tasks?statusTimestampAfter=${since}`)).result.totalSize).toBe(0);
    for (const [query, field] of [
      ["pageSize=0", "pageSize"],
      ["pageSize=2.5", "pageSize"],
      ["pageSize=1&pageSize=2", "pageSize"],
      ["includeArtifacts=yes", "includeArtifacts"],
      ["status=working", "status"],
      ["historyLength=-1", "historyLength"],
      ["statusTimestampAfter=today", "statusTimestampAfter"],
      ["pageToken=made%20up", "pageToken"],
    ] as const) {
      const { status, error } = await call("GET", `/rest/tasks?${query}`);
      expect(status).toBe(400);
      expect(error["details"]).toContainEqual(
        expect.objectContaining({ fieldViolations: [expect.objectContaining({ field })] }),
      );
    }
  });

  it("HTTP_JSON-ERR-001, HTTP_JSON-ERR-002, HTTP_JSON-STATUS-001: an error is a google.rpc.Status with its reason", async () => {
    const { call, post } = await serveRest();
    const { id } = (await post("/rest/message:send", message1("Hi"))).result.task;
    expect((await call("GET", "/rest/tasks/nowhere")).error).toEqual({
      code: 404,
      status: "NOT_FOUND",
      message: expect.stringContaining("Task not found"),
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "TASK_NOT_FOUND",
          domain: "a2a-protocol.org",
          metadata: {},
        },
      ],
    });
    expect(await call("POST", `/rest/tasks/${id}:cancel`)).toMatchObject({
      status: 400,
      error: { status: "FAILED_PRECONDITION", details: [{ reason: "TASK_NOT_CANCELABLE" }] },
    });
    const { status, error } = await post("/rest/message:send", {
      message: { ...message1("Hi").message, role: "user" },
    });
    expect(status).toBe(400);
    expect(error).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: expect.stringMatching(/^message\.role must be/),
      details: [{}, { fieldViolations: [{ field: "message.role" }] }],
    });
    const typed = await post("/rest/message:send", "hi", { "content-type": "text/plain" });
    expect(typed).toMatchObject({ status: 415, error: { details: [{ reason: "CONTENT_TYPE_NOT_SUPPORTED" }] } });
  });

  it("HTTP_JSON-SSE-001: a stream is server-sent events, each an event of the protocol itself", async () => {
    const { base } = await serveRest();
    const body = JSON.stringify(message1("Hi"));
    const response = await fetch(`${base}/rest/message:stream`, { method: "POST", headers: json, body });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = await Array.fromAsync(framesOf(response));
    for (const event of events) expect(problems1("StreamResponse", event)).toEqual([]);
    expect(Object.keys(events[0] ?? {})).toEqual(["task"]);
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
  });
});

describe("the HTTP+JSON binding", () => {
  it("routes by the agent of its path, by the tenant of its path or body, else to the first [a2a.rest]", async () => {
    const agents = { one: hello("1"), two: hello("2"), tasks: hello("3") };
    const { call, post } = await serveRest({ agents, basePath: "/a2a" });
    const said = async (path: string, params: object = {}) => {
      const { result } = await post(path, { ...message1("Hi"), ...params });
      return result.task.artifacts[0]?.parts[0];
    };
    expect(await said("/rest/message:send")).toEqual({ text: "1" });
    expect(await said("/rest/two/message:send")).toEqual({ text: "2" });
    expect(await said("/rest/message:send", { tenant: "two" })).toEqual({ text: "2" });
    // The path is what counts.
    expect(await said("/rest/two/message:send", { tenant: "one" })).toEqual({ text: "2" });
    expect(await said("/agents/two/rest/message:send", { tenant: "one" })).toEqual({ text: "2" });
    expect(await said("/rest/tasks/message:send")).toEqual({ text: "3" });
    // The task, not the tenant.
    expect((await call("GET", "/rest/tasks/tasks")).status).toBe(404);
    expect((await call("GET", "/rest/two/tasks?pageSize=3")).result.pageSize).toBe(3);
    expect((await post("/rest/three/message:send", message1("Hi"))).status).toBe(400);
  });

  it("takes a task's id from the path, whatever the body says, and percent-encoded [a2a.rest]", async () => {
    const { call, post } = await serveRest();
    const { id } = (await post("/rest/message:send", message1("Hi"))).result.task;
    const encoded = id.replaceAll("-", "%2D");
    expect((await call("GET", `/rest/tasks/${encoded}?historyLength=0`)).result.id).toBe(id);
    expect((await post("/rest/tasks/nowhere:cancel", { id })).status).toBe(404);
    expect((await call("GET", "/rest/tasks/%ff")).error["message"]).toBe("id must be percent-encoded UTF-8.");
    expect((await call("GET", "/rest/tasks/%20")).status).toBe(400);
  });

  it("leaves other paths, other agents' and preflights to the host [a2a.rest]", async () => {
    const { base } = await serveRest({ basePath: "/a2a" });
    for (const [method, path] of [
      ["GET", "/restful"],
      ["GET", "/agents/nobody/rest/tasks"],
      ["OPTIONS", "/rest/tasks"],
    ] as const) {
      const response = await fetch(`${base}${path}`, { method });
      // What Express sends where nothing is, and the service to OPTIONS.
      expect(response.status).toBe(method === "OPTIONS" ? 204 : 404);
      expect(response.headers.get("content-type") ?? "").not.toContain("json");
    }
  });

  it("has the guards of the other binding: hosts, origins, the size of a body, and the host's middleware [a2a.rest] [a2a.sources] [a2a.limits]", async () => {
    const seen: string[] = [];
    const { call, post } = await serveRest({
      maxBodyBytes: 1000,
      middleware: [({ path }, _response, next) => (seen.push(path), next())],
    });
    const foreign = await call("GET", "/rest/tasks", { headers: { origin: "https://evil.example" } });
    expect(foreign).toMatchObject({ status: 403, error: { status: "PERMISSION_DENIED" } });
    expect((await post("/rest/message:send", message1("x".repeat(2000)))).status).toBe(413);
    for (const [body, status] of [
      ["{", 400],
      ["[]", 400],
      ["null", 400],
      ["", 400],
      ['{"":1}', 400],
    ] as const) {
      expect((await post("/rest/message:send", body)).status).toBe(status);
    }
    expect(seen).toEqual(["/rest/tasks", ...Array.from({ length: 6 }, () => "/rest/message:send")]);
  });
});
