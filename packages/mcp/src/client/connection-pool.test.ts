import { createLogger, TroupeError } from "@troupe/core";
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { boxOptions, broken, initialized, never, ok, startFetch, status } from "../../test/connect.ts";
import { callContext, callTool } from "../../test/start.ts";
import { loadLibrary } from "./library.ts";
import { McpToolServer } from "./mcp-tool-server.ts";

// The first connection loads it, which takes longer than a turn of the event loop.
beforeAll(loadLibrary);
afterEach(() => void vi.useRealTimers());

/** A tool server whose users have headers of their own, and the users of its requests, by method. */
function startPool(options: object = {}) {
  const { fetch, sent, answers } = startFetch();
  const users: Record<string, string[]> = {};
  const record = async (url: string | URL, init: RequestInit = {}) => {
    const { method } = JSON.parse(typeof init.body === "string" ? init.body : "{}") as { method?: string };
    (users[method ?? init.method ?? "GET"] ??= []).push(new Headers(init.headers).get("x-user") ?? "nobody");
    return await fetch(url, init);
  };
  const headers = (context?: { metadata: Record<string, unknown> }) =>
    context === undefined ? {} : { ...(context.metadata as Record<string, string>) };
  const server = new McpToolServer({ ...boxOptions, fetch: record, headers, ...options });
  onTestFinished(async () => await server.close());
  const as = (user: string, name = "x-user") => callContext({ metadata: { [name]: user } });
  const take = (method: string) => (users[method] ?? []).splice(0);
  return { server, sent, answers, as, take };
}

const settle = async () => await new Promise((resolve) => setImmediate(resolve));

describe("the connections of users with headers of their own", () => {
  it("are one for each set of headers, whatever the case and order of their names", async () => {
    const { server, as, take } = startPool();
    await server.getTools();
    for (const user of ["ada", "bob", "Ada"]) await server.getTools(as(user));
    expect(take("initialize")).toEqual(["nobody", "ada", "bob", "Ada"]);
    await server.getTools(as("ada", "X-USER"));
    await server.getTools(callContext({ metadata: { "x-b": "1", "x-user": "eve" } }));
    await server.getTools(callContext({ metadata: { "x-user": "eve", "X-B": "1" } }));
    await server.getTools(callContext({ metadata: { "x-user": "eve", "x-b": "2" } }));
    expect(take("initialize")).toEqual(["eve", "eve"]);
    expect(take("tools/list")).toEqual(["nobody", "ada", "bob", "Ada", "eve", "eve"]);
  });

  it("take each call of a tool by the headers of its own run", async () => {
    const { server, answers, as, take } = startPool();
    const called: unknown[] = [];
    answers["tools/call"] = (message, init) => {
      called.push((JSON.parse(init.body as string) as { params: unknown }).params);
      return ok(message, { content: [{ type: "text", text: "done" }] });
    };
    const tools = await server.getTools(as("ada"));
    expect(await callTool(tools, "box__echo", { args: { a: 1 }, context: as("bob") })).toBe("done");
    expect(take("tools/call")).toEqual(["bob"]);
    expect(called).toMatchObject([{ name: "echo", arguments: { a: 1 } }]);
  });

  it("end when all are used and a new one is needed: the one that was used longest ago", async () => {
    const { server, as, take } = startPool({ maxConnections: 2 });
    for (const user of ["ada", "bob", "ada", "eve"]) await server.getTools(as(user));
    await settle();
    expect(take("DELETE")).toEqual(["bob"]);
    await server.getTools(as("ada"));
    expect(take("initialize")).toEqual(["ada", "bob", "eve"]);
  });

  it("do not end while they are used, and refuse a new one where all are", async () => {
    const { server, answers, as, take } = startPool({ maxConnections: 1 });
    answers["initialize"] = never;
    const opening = server.connect(as("ada")).catch(() => undefined);
    await expect.poll(() => take("initialize"), { interval: 1 }).toEqual(["ada"]);
    await expect(server.connect(as("bob"))).rejects.toMatchObject({
      code: "unavailable",
      message: 'All 1 connections to the MCP server "box" are in use. Raise maxConnections.',
      fields: { server: "box" },
    });
    expect(take("initialize")).toEqual([]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const closing = server.close();
    await vi.advanceTimersByTimeAsync(3000);
    await Promise.all([opening, closing]);
  });

  it("are 100 at once where the host says nothing", async () => {
    const { server, as, take } = startPool();
    for (let user = 0; user < 100; user++) await server.connect(as(String(user)));
    await settle();
    expect(take("DELETE")).toEqual([]);
    await server.connect(as("one more"));
    await settle();
    expect(take("DELETE")).toEqual(["0"]);
  });

  it.each([
    ["300,000 ms", {}, 300_000],
    ["idleTimeoutMs", { idleTimeoutMs: 50 }, 50],
  ])("end when they are not used for %s, counted from their last use", async (_, options, ms) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { server, as, take } = startPool(options);
    await server.getTools(as("ada"));
    await vi.advanceTimersByTimeAsync(ms - 1);
    await server.getTools(as("ada"));
    await server.getTools(as("bob"));
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(take("DELETE")).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(take("DELETE")).toEqual(["ada", "bob"]);
    await server.getTools(as("ada"));
    expect(take("initialize")).toEqual(["ada", "bob", "ada"]);
  });

  it("end with the server, which only connect opens again", async () => {
    const { server, as, take } = startPool();
    for (const user of ["ada", "bob"]) await server.getTools(as(user));
    await server.close();
    expect(take("DELETE")).toEqual(["ada", "bob"]);
    const closed = 'The MCP server "box" is closed. Call connect() to open it again.';
    await expect(server.refresh(as("ada"))).rejects.toMatchObject({ code: "unavailable", message: closed });
    await server.connect(as("ada"));
    expect(await server.getTools(as("ada"))).toHaveLength(1);
    expect(take("initialize")).toEqual(["ada", "bob", "ada"]);
  });

  it("are not opened for headers that come after the end of the server", async () => {
    const given = Promise.withResolvers<object>();
    const { server, take } = startPool({ headers: async () => await given.promise });
    const connecting = server.connect();
    await server.close();
    given.resolve({ "x-user": "ada" });
    await expect(connecting).rejects.toMatchObject({ code: "unavailable" });
    expect(take("initialize")).toEqual([]);
  });
});

describe("a server whose headers are the same for all", () => {
  it("has one connection, which stays open while it is not used", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { server, as, take } = startPool({ headers: { "x-user": "all" } });
    await server.getTools(as("ada"));
    await server.getTools();
    await vi.advanceTimersByTimeAsync(400_000);
    expect([take("initialize"), take("tools/list"), take("DELETE")]).toEqual([["all"], ["all"], []]);
  });

  it("lists its tools again by refresh, for a caller of its own list", async () => {
    const { server, take, answers } = startPool({ headers: undefined });
    (await server.getTools()).pop();
    expect(await server.getTools()).toHaveLength(1);
    answers["tools/list"] = (message) => ok(message, { tools: [] });
    expect(await server.refresh()).toEqual([]);
    expect(take("tools/list")).toHaveLength(2);
  });
});

describe("a server that is down when a run begins", () => {
  /** The context of a run that is none of an agent's, and what it logs. */
  function contextOf(signal = new AbortController().signal) {
    const warn = vi.fn<(message: string, fields?: object) => void>();
    return { context: callContext({ signal, logger: { ...createLogger(), warn } }), warn };
  }

  it("costs the run its tools and a warning", async () => {
    const { server, answers } = startPool();
    answers["initialize"] = broken;
    const { context, warn } = contextOf();
    expect(await server.getTools(context)).toEqual([]);
    const fields = { server: "box", error: expect.any(TroupeError) as TroupeError, code: "tool_server_unavailable" };
    expect(warn.mock.calls).toStrictEqual([
      ['The MCP server "box" did not list its tools. The run has none of its tools.', fields],
    ]);
    await expect(server.getTools()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("leaves the run the tools that were known before", async () => {
    const { server, answers } = startPool({ headers: undefined });
    const { context, warn } = contextOf();
    const known = await server.getTools(context);
    answers["tools/list"] = () => status(503);
    await expect(server.refresh(context)).rejects.toMatchObject({ fields: { status: 503 } });
    expect(await server.getTools(context)).toEqual(known);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      'The MCP server "box" did not list its tools. The run has the tools that were known before.',
    ]);
  });

  it("is no warning of a run that was aborted", async () => {
    const { server } = startPool();
    const { context, warn } = contextOf(AbortSignal.abort());
    await expect(server.getTools(context)).rejects.toMatchObject({ code: "cancelled" });
    expect(warn).not.toHaveBeenCalled();
  });
});

describe("the questions of a tool server", () => {
  const lists = { resources: [], resourceTemplates: [], prompts: [], contents: [], messages: [] };

  it.each<[string, (server: McpToolServer, context: ReturnType<typeof callContext>) => Promise<unknown>, object]>([
    ["resources/list", async (server, context) => await server.resources(context), {}],
    ["resources/templates/list", async (server, context) => await server.resourceTemplates(context), {}],
    ["resources/read", async (server, context) => await server.readResource("a://b", context), { uri: "a://b" }],
    ["prompts/list", async (server, context) => await server.prompts(context), {}],
    [
      "prompts/get",
      async (server, context) => await server.getPrompt("p", { a: "1" }, context),
      { name: "p", arguments: { a: "1" } },
    ],
    [
      "prompts/get",
      async (server, context) => await server.getPrompt("p", undefined, context),
      { name: "p", arguments: {} },
    ],
  ])("as %s are asked with the headers, signal and time limit of their run", async (method, ask, params) => {
    const { server, answers, as, take } = startPool({ timeoutMs: 2 });
    const capabilities = { resources: {}, prompts: {} };
    answers["initialize"] = (message) => ok(message, { ...initialized, capabilities });
    const given: unknown[] = [];
    answers[method] = (message, init) => {
      given.push((JSON.parse(init.body as string) as { params?: object }).params ?? {});
      return ok(message, lists);
    };
    await ask(server, as("ada"));
    expect([take(method), given]).toEqual([["ada"], [params]]);
    answers[method] = never;
    await expect(ask(server, as("ada"))).rejects.toThrow(/ within 2 ms\.$/);
    const context = callContext({ signal: AbortSignal.abort() });
    await expect(ask(server, context)).rejects.toMatchObject({ code: "cancelled" });
  });
});
