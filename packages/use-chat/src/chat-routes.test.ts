import { TroupeError } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { requestRecordOf } from "@troupe/core/transport";
import type { Exchange, Route, Service } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { GivenRun } from "../test/given-run.ts";
import { desk, talker } from "../test/runnables.ts";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "../test/exchange-of.ts";
import { chatRoutes } from "./chat-routes.ts";

const ada = { userId: "ada", tenantId: "acme" };

/** The routes of a service where a session has this open run. */
function routesWith(run?: object) {
  const told: unknown[] = [];
  const given = new GivenRun({
    service: { cancel: async (...asked: unknown[]) => void told.push(["cancel", ...asked]) },
    follow: () => void told.push("follow"),
    ...run,
  });
  const servedRuns = {
    isDraining: false,
    isDurable: () => false,
    checkOpen: () => undefined,
    beginStored: async (
      requested: { opts: { sessionId: string } },
      { kind, name, isStored, endsWithClient }: object & Record<string, unknown>,
    ) => {
      told.push(["begin", requested.opts.sessionId, { kind, name, isStored, endsWithClient }]);
      throw new TroupeError("internal", "It does not begin.");
    },
    find: async (...asked: unknown[]): Promise<never> => {
      told.push(["find", ...asked.slice(0, 2)]);
      throw new TroupeError("not_found", "There is none.");
    },
    findOfSession: async (...asked: unknown[]) => {
      told.push(["find", ...asked]);
      return run && { run: given.run, view: {} };
    },
  };
  const options = { agents: { a: talker() }, teams: { a: desk() }, maxBodyBytes: 500, heartbeatMs: 60_000 };
  const service = Object.create(createService(options), { servedRuns: { value: servedRuns } }) as Service;
  return { told, given, routes: chatRoutes({ service, hasRunPaths: true }) };
}

/** Makes the exchange of a request with JSON and the parameters of its path. */
function requestTo(params: Record<string, string>, fields: object = {}) {
  const response = new WrittenResponse();
  const made = exchangeOf(response, { ...fields });
  made.exchange.params = params;
  return { ...made, response };
}

/** Calls the handler of a route among others, such as `post /a`, and fails for one that has none. */
async function callRoute(routes: readonly Route[], place: string, exchange: Exchange): Promise<void> {
  const [method, path] = place.split(" ");
  const handle = routes.find((route) => route.path === path)?.[method === "get" ? "get" : "post"];
  if (handle === undefined) throw new Error(`${place} has no handler.`);
  await handle(exchange);
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

describe("chatRoutes", () => {
  it("has three routes for agents and for teams", () => {
    const methods = routesWith().routes.map(({ path, ...handlers }) => [path, ...Object.keys(handlers)]);
    expect(methods).toEqual(paths.map((path) => [path, path.endsWith("stream") ? "get" : "post"]));
  });

  it.each(["agent", "team"])("begins an answer of an %s for a message of the user", async (kind) => {
    const { routes, told } = routesWith();
    const { exchange, response } = requestTo({ name: "a" }, { body: said("user") });
    await callRoute(routes, `post /${kind}s/:name/ui`, exchange);

    expect(told).toEqual([["begin", "c1", { kind, name: "a", isStored: true, endsWithClient: true }]]);
    expect(response.status).toBe(500);
    expect(requestRecordOf(response.asResponse)).toMatchObject({ name: "a" });
  });

  it.each(["agent", "team"])("goes on with an answer of an %s for a message of the assistant", async (kind) => {
    const { routes, told } = routesWith();
    const { exchange, response } = requestTo({ name: "a" }, { body: said("assistant"), principal: ada });
    const called = callRoute(routes, `post /${kind}s/:name/ui`, exchange);

    await expect(called).rejects.toMatchObject({ message: "There is none." });
    expect(told).toEqual([["find", "m1", ada]]);
    expect(requestRecordOf(response.asResponse)).toEqual({ name: "a" });
  });

  it("refuses a body that is over maxBodyBytes", async () => {
    const { routes } = routesWith();
    const { exchange } = requestTo({ name: "a" }, { body: { ...said("user"), userId: "x".repeat(500) } });
    await expect(callRoute(routes, `post ${paths[0]}`, exchange)).rejects.toMatchObject({
      code: "payload_too_large",
    });
  });

  it.each(paths)("rejects at %s for an unknown name before all else", async (path) => {
    const { routes, told } = routesWith();
    const { exchange, response } = requestTo({ name: "y", chatId: "a/b" });
    const called = callRoute(routes, `${path.endsWith("stream") ? "get" : "post"} ${path}`, exchange);
    await expect(called).rejects.toMatchObject({ code: "not_found" });
    expect([told, requestRecordOf(response.asResponse)]).toEqual([[], {}]);
  });
});

describe("the resumed stream of a chat", () => {
  const resume = (run: object | undefined, fields: object = {}, path = paths[1] ?? "") => {
    const made = routesWith(run);
    const called = requestTo({ name: "a", chatId: "c1" }, { method: "GET", principal: ada, ...fields });
    return { ...made, ...called, done: callRoute(made.routes, `get ${path}`, called.exchange) };
  };
  const ids = { "x-run-id": "r1", "x-session-id": "c1", "x-vercel-ai-ui-message-stream": "v1" };

  it("is the run's message from its beginning, whose head is sent at once, with its ids", async () => {
    const { done, response, given, told, entries } = resume({});
    await new Promise((resolve) => setImmediate(resolve));
    expect([response.headersSent, response.status, response.headers, response.body]).toEqual([
      true,
      200,
      { ...head, ...ids },
      "",
    ]);
    expect(told).toEqual([["find", "c1", ada], "follow"]);
    given.give(new TroupeError("internal", "It broke."));
    await done;
    // The failure is not this request's own.
    expect([response.status, response.ends, entries]).toEqual([200, 1, []]);
  });

  it("is looked for without an owner where nobody is signed in", async () => {
    const { done, told, given } = resume({}, { principal: undefined });
    given.give({ type: "end", output: null });
    await done;
    expect(told).toEqual([["find", "c1", {}], "follow"]);
  });

  it("is none without an open run, for one of another name and for one of another kind", async () => {
    for (const run of [undefined, { name: "b" }, { kind: "team" }]) {
      const { done, response, given } = resume(run);
      given.give({ type: "end", output: null });
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
    const { routes } = routesWith({});
    const { exchange } = requestTo({ name: "a", chatId: "a/b" }, { method: "GET" });
    await expect(callRoute(routes, `get ${paths[1]}`, exchange)).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("the stop of a chat", () => {
  const stop = async (run: object | undefined, body?: object, path = paths[2] ?? "") => {
    const made = routesWith(run);
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
