import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { watchTransport } from "@troupe-internal/stream-grammars";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { post, serveHttp } from "../../test/serve-http.ts";
import type { ServedHttp } from "../../test/serve-http.ts";
import { openSession } from "../../test/session-client.ts";
import { callTool } from "../../test/start.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { McpToolServer } from "../client/mcp-tool-server.ts";
import type { McpExtend } from "./extension.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";
import type { McpToolServerOptions } from "../client/mcp-options.ts";

const revisions = ["legacy", "2026-07-28"] as const;

/** Tools that tell who asks, ask back, and keep a state between two calls. */
const extend: McpExtend = (server, { library, userId, sealState }) => {
  server.registerTool("who", { description: "Tells who asks." }, () => say(userId ?? "nobody"));
  server.registerTool("sample", { description: "Asks the client's model." }, ({ mcpReq: { inputResponses } }) => {
    if (inputResponses !== undefined) return say(JSON.stringify(inputResponses["rhyme"]));
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "What rhymes with tea?" } }];
    const rhyme = library.inputRequired.createMessage({ messages, maxTokens: 10 });
    return library.inputRequired({ inputRequests: { rhyme } });
  });
  server.registerTool("sealed", { description: "Keeps a state." }, async (ctx) => {
    const state = ctx.mcpReq.requestState<{ secret: number }>();
    if (state !== undefined) return say(`The state is ${state.secret}.`);
    return library.inputRequired({ requestState: await sealState({ secret: 7 }, ctx) });
  });
  server.registerResource("note", "note://one", { mimeType: "text/plain" }, () => ({
    contents: [{ uri: "note://one", text: "One." }],
  }));
};

const say = (text: string) => ({ content: [{ type: "text" as const, text }] });

/** Serves the agents and tools behind an authentication that believes the header `x-user`. */
async function serveUsers(options: McpServerOptions = {}): Promise<ServedHttp> {
  return await serveHttp({ extend, ...options }, [
    (asked, _response, next) => {
      const userId = asked.headers["x-user"];
      if (userId !== undefined) Object.assign(asked, { principal: { userId } });
      next();
    },
  ]);
}

function connectTo({ url }: ServedHttp, more: Partial<McpToolServerOptions> = {}): McpToolServer {
  const server = new McpToolServer({ name: "team", transport: "http", url, ...more });
  onTestFinished(async () => await server.close());
  return server;
}

describe.each(revisions)("createMcpServer with extend, for a client of %s", (protocol) => {
  it("serves the host's tools beside the agents, and tells them the user [mcp-server.extend]", async () => {
    const served = await serveUsers();
    const ada = await connectTo(served, { protocol, headers: { "x-user": "ada" } }).getTools();
    const nobody = connectTo(served, { protocol });

    const names = ["ask_helper", "ask_typed", "run_flow", "who", "sample", "sealed"];
    expect(ada.map(({ name }) => name)).toEqual(names.map((name) => `team__${name}`));
    expect(await callTool(ada, "team__who")).toBe("ada");
    expect(await callTool(await nobody.getTools(), "team__who")).toBe("nobody");
    expect(await callTool(ada, "team__ask_helper", { args: { message: "tea" } })).toMatchObject({
      content: 'You said "tea", turn 1.',
    });
    expect(await nobody.resources()).toMatchObject([{ uri: "note://one", name: "note" }]);
  });

  it("lets a tool ask the client's model [mcp-server.ask]", async () => {
    const served = await serveUsers();
    const tools = await connectTo(served, {
      protocol,
      onSampling: ({ messages }) => ({ text: `Sea, for ${JSON.stringify(messages)}`, model: "m" }),
    }).getTools();

    expect(await callTool(tools, "team__sample")).toContain("rhymes with tea");
    expect(await callTool(tools, "team__sample")).toContain("Sea, for");
  });

  it("returns a sealed state to its tool [mcp-server.state]", async () => {
    const tools = await connectTo(await serveUsers(), { protocol }).getTools();

    expect(await callTool(tools, "team__sealed")).toBe("The state is 7.");
  });

  it("counts keys for one request, also within a session [mcp-server.keys]", async () => {
    const served = await serveUsers();
    let key = "sk-canary-first";
    const send: typeof fetch = async (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("x-api-key", key);
      return await fetch(url, { ...init, headers });
    };
    const tools = await connectTo(served, { protocol, fetch: send }).getTools();
    await callTool(tools, "team__ask_helper", { args: { message: "one" } });
    key = "sk-canary-second";
    await callTool(tools, "team__ask_helper", { args: { message: "two" } });

    expect(served.model.calls.map(({ options }) => options.apiKey)).toEqual(["sk-canary-first", "sk-canary-second"]);
    expect(served.lines.join("")).not.toContain("sk-canary");
  });

  it("tells clients what has changed, and of the resources that they asked for alone [mcp-server.notify]", async () => {
    const served = await serveUsers();
    const heard: string[] = [];
    const mode = protocol === "legacy" ? "legacy" : "auto";
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
    client.setNotificationHandler("notifications/resources/list_changed", () => void heard.push("resources"));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    await client.connect(watchTransport(new StreamableHTTPClientTransport(new URL(served.url))));
    onTestFinished(async () => await client.close());
    if (protocol === "legacy") await client.subscribeResource({ uri: "note://one" });
    else {
      const resourceSubscriptions = ["note://one"];
      await client.listen({ toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions });
    }
    const { notify } = served.server;

    await expect
      .poll(() => {
        notify.toolsChanged();
        return heard;
      })
      .toContain("tools");
    // The server has no prompts.
    notify.promptsChanged();
    notify.resourcesChanged();
    notify.resourceUpdated("note://two");
    notify.resourceUpdated("note://one");
    await expect.poll(() => heard).toContain("note://one");
    expect(heard).not.toContain("note://two");
    expect(heard).toContain("resources");
  });
});

describe.each(revisions)("a handler that extend registers, for a client of %s", (protocol) => {
  it("gets the token that the host has verified, and no keys of models [mcp-server.extend] [mcp-server.keys]", async () => {
    const seen: unknown[] = [];
    const watch: McpExtend = (server) => {
      server.registerTool("watch", { description: "Watches." }, ({ http }) => {
        seen.push([http?.authInfo, [...(http?.req?.headers ?? [])]]);
        return say("Seen.");
      });
    };
    const auth = { token: "t", clientId: "c", scopes: ["read"] };
    const served = await serveHttp({ extend: watch }, [
      (asked, _response, next) => {
        Object.assign(asked, { auth });
        next();
      },
    ]);
    const headers = { "x-openai-api-key": "sk-canary-1", "x-api-key": "sk-canary-2", "x-trace": "seven" };
    await callTool(await connectTo(served, { protocol, headers }).getTools(), "team__watch");

    expect(seen).toEqual([[auth, expect.arrayContaining([["x-trace", "seven"]])]]);
    expect(JSON.stringify(seen)).not.toContain("sk-canary");
  });
});

describe("a state of sealState", () => {
  it("is refused when it was changed, or comes from another user or server [mcp-server.state]", async () => {
    const served = await serveUsers();
    const ask = async (url: string, user: string, requestState?: string) => {
      const params = { name: "sealed", arguments: {}, ...(requestState !== undefined && { requestState }) };
      const reply = await post(url, "tools/call", { params, headers: { "x-user": user } });
      return (await reply.json()) as { result?: { requestState?: string }; error?: { code: number } };
    };
    const { result } = await ask(served.url, "ada");
    const state = result?.requestState ?? "";

    expect(await ask(served.url, "ada", state)).toMatchObject({ result: { content: [{ text: "The state is 7." }] } });
    expect(await ask(served.url, "bob", state)).toMatchObject({ error: { code: -32_602 } });
    expect(await ask(served.url, "ada", `${state}x`)).toMatchObject({ error: { code: -32_602 } });
    expect(await ask((await serveUsers()).url, "ada", state)).toMatchObject({ error: { code: -32_602 } });

    const stateKey = "one-secret-of-32-characters-or-so";
    const [one, two] = [await serveUsers({ stateKey }), await serveUsers({ stateKey })];
    const shared = (await ask(one.url, "ada")).result?.requestState;
    expect(await ask(two.url, "ada", shared)).toMatchObject({ result: { content: [{ text: "The state is 7." }] } });
  });
});

describe("a session of createMcpServer", () => {
  it("belongs to the user who opened it, and ends with DELETE [mcp-server.sessions]", async () => {
    const served = await serveUsers();
    const { ping, send, id } = await openSession(served, { "x-user": "ada" });

    expect(await ping()).toBe(200);
    expect(await ping({ "x-user": "bob" })).toBe(404);
    expect(await ping({ "mcp-session-id": "another" })).toBe(404);
    const stolen = await send(undefined, { "mcp-session-id": id, "x-user": "bob" }, "DELETE");
    expect(stolen.status).toBe(404);
    expect(await ping()).toBe(200);
    expect((await send(undefined, { "mcp-session-id": id }, "DELETE")).status).toBe(200);
    expect(await ping()).toBe(404);
  });

  it("gives way to newer ones, the one that was used longest ago first [mcp-server.sessions]", async () => {
    const served = await serveUsers({ maxSessions: 2 });
    const [one, two] = [await openSession(served), await openSession(served)];
    expect(await one.ping()).toBe(200);
    const three = await openSession(served);

    expect(await two.ping()).toBe(404);
    expect([await one.ping(), await three.ping()]).toEqual([200, 200]);
  });

  it("a session of createMcpServer of a user does not give way to those of callers without one, or of another user [mcp-server.sessions]", async () => {
    const served = await serveUsers({ maxSessions: 25 });
    const ada = await openSession(served, { "x-user": "ada" });
    const opened = [];
    for (let count = 0; count < 30; count++) opened.push(await openSession(served));
    for (let count = 0; count < 30; count++) await openSession(served, { "x-user": "bob" });
    const statuses = [];
    for (const { ping } of opened) statuses.push(await ping());

    expect(await ada.ping()).toBe(200);
    expect(statuses).toEqual([...Array<number>(28).fill(404), 200, 200]);
  });

  it("ends when it is not used for half an hour, keeps no process alive until then, and ends with the server [mcp-server.sessions]", async () => {
    const timers = vi.spyOn(globalThis, "setInterval");
    onTestFinished(() => timers.mockRestore());
    const idle = await openSession(await serveUsers());
    expect(await idle.ping()).toBe(200);
    const sweeps = timers.mock.calls.flatMap(([sweep, ms], call) => (ms === 60_000 ? [{ sweep, call }] : []));
    expect(
      sweeps.map(({ call }) => (timers.mock.results[call]?.value as NodeJS.Timeout | undefined)?.hasRef()),
    ).toEqual([false]);
    const sweepAfter = (ms: number) => {
      const later = vi.spyOn(performance, "now").mockReturnValue(performance.now() + ms);
      for (const { sweep } of sweeps) sweep();
      later.mockRestore();
    };
    sweepAfter(1_700_000);
    expect(await idle.ping()).toBe(200);
    sweepAfter(1_900_000);
    expect(await idle.ping()).toBe(404);

    const served = await serveUsers();
    const { id, send, ping } = await openSession(served);
    const headers = { accept: "text/event-stream", "mcp-session-id": id };
    const stream = await send(undefined, headers, "GET");
    expect(stream.status).toBe(200);
    await served.server.close();
    await stream.text();
    expect(await ping()).toBe(503);
  });

  it("is not kept with maxSessions 0: requests are answered one by one [mcp-server.sessions]", async () => {
    const { ping } = await openSession(await serveUsers({ maxSessions: 0 }));

    expect(await ping({ "mcp-session-id": "any" })).toBe(200);
  });
});

describe("the option extend", () => {
  it("serves without any agent, and refuses options that need it [mcp-server.options]", async () => {
    const server = createMcpServer({ extend });
    const http = createServer((asked, response) => server.handler(asked, response)).listen(0, "127.0.0.1");
    onTestFinished(() => void http.close());
    await once(http, "listening");
    const reply = await post(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, "tools/list");
    expect(await reply.json()).toMatchObject({ result: { tools: [{ name: "who" }, {}, {}] } });

    const plain = await serveHttp();
    for (const options of [{ maxSessions: 5 }, { stateKey: "s".repeat(32) }]) {
      const serve = async () => await serveHttp(options);
      await expect(serve()).rejects.toThrow(`${Object.keys(options)[0]} has no effect without extend`);
    }
    expect(() => createMcpServer({ extend: {} as never })).toThrow("extend must be a function");
    const short = () => createMcpServer({ extend, stateKey: "short-secret" });
    expect(short).toThrow("stateKey must be a string of at least 32 characters");
    expect(short).not.toThrow("short-secret");
    expect(() => plain.server.notify.toolsChanged()).toThrow("Set the option extend.");
  });

  it.each(revisions)("is reported when it throws, to a client of %s too [mcp-server.extend]", async (protocol) => {
    const served = await serveUsers({
      extend: (server) => void server.registerTool("ask_helper", {}, () => say("Two of one name.")),
    });

    await expect(connectTo(served, { protocol }).getTools()).rejects.toMatchObject({ code: expect.any(String) });
    expect(served.lines.join("")).toContain("The option extend has thrown");
  });
});
