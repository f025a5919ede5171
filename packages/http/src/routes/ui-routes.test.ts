import { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { GivenRun } from "../../test/given-run.ts";
import { callRoute, requestTo } from "../../test/route-call.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { uiRoutes } from "./ui-routes.ts";

const agent = { name: "an agent" };
const team = { name: "a team" };
const ada = { userId: "ada", tenantId: "acme" };

/** The router's settings, where a session has this open run. */
function settingsOf(run?: object) {
  const told: unknown[] = [];
  const service = { cancel: async (...asked: unknown[]) => void told.push(["cancel", ...asked]) };
  const given = new GivenRun();
  const servedRuns = {
    isDraining: false,
    follow: (followed: unknown) => {
      told.push(["follow", followed]);
      return given.tail;
    },
    keeperOf: (place: unknown) => void told.push(["keeperOf", place]),
    find: (...asked: unknown[]): never => {
      told.push(["find", ...asked]);
      throw new TroupeError("not_found", "There is none.");
    },
    findOfSession: async (...asked: unknown[]) => {
      told.push(["find", ...asked]);
      return run && { service, run: { runId: "r1", sessionId: "c1", kind: "agent", name: "a", ...run } };
    },
  };
  const settings = {
    ui: {},
    agents: new Map([["a", agent]]),
    teams: new Map([["a", team]]),
    servedRuns,
    maxBodyBytes: 500,
    heartbeatMs: 60_000,
    bodyUserId: "unverified",
  } as unknown as RouterSettings;
  return { settings, told, service, given, routes: uiRoutes(settings) };
}

const paths = ["/agents", "/teams"].flatMap((path) =>
  ["", "/:chatId/stream", "/:chatId/stop"].map((rest) => `${path}/:name/ui${rest}`),
);
const said = (role: string) => ({ id: "c1", messages: [{ id: "m1", role, parts: [{ type: "text", text: "Hi." }] }] });
const head = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

describe("uiRoutes", () => {
  it("has no routes without the option ui, and three for agents and for teams with it", () => {
    expect(uiRoutes({ ...settingsOf().settings, ui: undefined })).toEqual([]);
    const methods = settingsOf().routes.map(({ path, ...handlers }) => [path, ...Object.keys(handlers)]);
    expect(methods).toEqual(paths.map((path) => [path, path.endsWith("stream") ? "get" : "post"]));
  });

  it.each(["agent", "team"])("begins an answer of an %s for a message of the user", async (kind) => {
    const { routes, told } = settingsOf();
    const { exchange, response } = requestTo({ name: "a" }, { body: said("user") });
    await callRoute(routes, `post /${kind}s/:name/ui`, exchange);

    expect(told).toEqual([["keeperOf", { kind, name: "a", endsWithClient: false }]]);
    expect([response.status, response.headers["x-session-id"]]).toEqual([500, "c1"]);
    expect(requestRecordOf(response.asResponse)).toMatchObject({ name: "a" });
  });

  it.each(["agent", "team"])("goes on with an answer of an %s for a message of the assistant", async (kind) => {
    const { routes, told } = settingsOf();
    const { exchange, response } = requestTo({ name: "a" }, { body: said("assistant"), principal: ada });
    const called = callRoute(routes, `post /${kind}s/:name/ui`, exchange);

    await expect(called).rejects.toMatchObject({ message: "There is none." });
    expect(told).toEqual([["find", "m1", ada]]);
    expect(requestRecordOf(response.asResponse)).toEqual({ name: "a" });
  });

  it("refuses a body that is over maxBodyBytes", async () => {
    const { routes } = settingsOf();
    const { exchange } = requestTo({ name: "a" }, { body: { ...said("user"), userId: "x".repeat(500) } });
    await expect(callRoute(routes, `post ${paths[0]}`, exchange)).rejects.toMatchObject({
      code: "payload_too_large",
    });
  });

  it.each(paths)("rejects at %s for an unknown name before all else", async (path) => {
    const { routes, told } = settingsOf();
    const { exchange, response } = requestTo({ name: "y", chatId: "a/b" });
    const called = callRoute(routes, `${path.endsWith("stream") ? "get" : "post"} ${path}`, exchange);
    await expect(called).rejects.toMatchObject({ code: "not_found" });
    expect([told, requestRecordOf(response.asResponse)]).toEqual([[], {}]);
  });
});

describe("the resumed stream of a chat", () => {
  const resume = (run: object | undefined, fields: object = {}, path = paths[1] ?? "") => {
    const made = settingsOf(run);
    const called = requestTo({ name: "a", chatId: "c1" }, { method: "GET", principal: ada, ...fields });
    return { ...made, ...called, done: callRoute(made.routes, `get ${path}`, called.exchange) };
  };
  const ids = { "x-run-id": "r1", "x-session-id": "c1", "x-vercel-ai-ui-message-stream": "v1" };

  it("is the run's message from its beginning, whose head is sent at once, with its ids", async () => {
    const { done, response, service, given, told, entries } = resume({});
    await new Promise((resolve) => setImmediate(resolve));
    expect([response.headersSent, response.status, response.headers, response.body]).toEqual([
      true,
      200,
      { ...head, ...ids },
      "",
    ]);
    expect(told).toEqual([
      ["find", "c1", ada],
      ["follow", { service, runId: "r1", kind: "agent", caller: ada }],
    ]);
    given.give(new TroupeError("internal", "It broke."));
    await done;
    // The failure is not this request's own.
    expect([response.status, response.ends, entries]).toEqual([200, 1, []]);
  });

  it("is looked for without an owner where nobody is signed in", async () => {
    const { done, told, service, given } = resume({}, { principal: undefined });
    given.give({ type: "end", output: null });
    await done;
    expect(told).toEqual([
      ["find", "c1", {}],
      ["follow", { service, runId: "r1", kind: "agent", caller: {} }],
    ]);
  });

  it("is none without an open run, for one of another name and for one of another kind", async () => {
    for (const run of [undefined, { name: "b" }, { kind: "team" }]) {
      const { done, response } = resume(run);
      await done;
      expect([response.status, response.headers, response.body, response.ends]).toEqual([
        204,
        { "cache-control": "no-store" },
        "",
        1,
      ]);
    }
    const { done, given, response } = resume({ kind: "team" }, {}, paths[4]);
    given.give({ type: "end", output: null });
    await done;
    expect(response.status).toBe(200);
  });

  it("has its head alone for HEAD", async () => {
    const { done, response, told } = resume({}, { method: "HEAD" });
    await done;
    expect([response.status, response.headers, response.body, response.ends]).toEqual([
      200,
      { ...head, ...ids },
      "",
      1,
    ]);
    expect(told).toEqual([["find", "c1", ada]]);
  });

  it("refuses an id that no session can have", async () => {
    const { routes } = settingsOf({});
    const { exchange } = requestTo({ name: "a", chatId: "a/b" }, { method: "GET" });
    await expect(callRoute(routes, `get ${paths[1]}`, exchange)).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("the stop of a chat", () => {
  const stop = async (run: object | undefined, body?: object, path = paths[2] ?? "") => {
    const made = settingsOf(run);
    const called = requestTo({ name: "a", chatId: "c1" }, { principal: ada, ...(body && { body }) });
    await callRoute(made.routes, `post ${path}`, called.exchange);
    return { ...made, ...called };
  };
  const find = ["find", "c1", ada];
  const cancel = ["cancel", "r1", "host", "Cancelled on request."];

  it.each<[string, object | undefined, object | undefined, unknown[]]>([
    ["cancels its run without a body", {}, undefined, [find, cancel]],
    ["cancels its run with an empty body", {}, {}, [find, cancel]],
    ["cancels its run by the id of its message", {}, { activeStreamId: "r1" }, [find, cancel]],
    ["leaves the run of another message", {}, { activeStreamId: "r2" }, [find]],
    ["leaves a run of another name", { name: "b" }, undefined, [find]],
    ["leaves a run of another kind", { kind: "team" }, { activeStreamId: "r1" }, [find]],
    ["is no error without a run", undefined, undefined, [find]],
    ["is no error without the run of its message", undefined, { activeStreamId: "r1" }, [find]],
  ])("%s, and has no content", async (_, ...[run, body, told]) => {
    const { response, ...made } = await stop(run, body);
    expect(made.told).toEqual(told);
    expect([response.status, response.headers, response.body, response.ends]).toEqual([204, {}, "", 1]);
  });

  it.each([7, null, {}])("refuses the id %j of a message, which is no string", async (activeStreamId) => {
    const message = "activeStreamId must be the id of the message that is under way, a string.";
    await expect(stop({}, { activeStreamId })).rejects.toEqual(new TroupeError("invalid_request", message));
  });

  it("takes an empty id for that of another message", async () => {
    expect((await stop({}, { activeStreamId: "" })).told).toEqual([find]);
  });

  it("refuses a body that is over maxBodyBytes", async () => {
    await expect(stop({}, { activeStreamId: "x".repeat(500) })).rejects.toMatchObject({ code: "payload_too_large" });
  });
});
