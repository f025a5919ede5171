import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { post, serveHttp } from "../../test/serve-http.ts";
import type { ServedHttp } from "../../test/serve-http.ts";
import { callContext, callTool } from "../../test/start.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { McpToolServer } from "../client/mcp-tool-server.ts";
import type { McpToolServerOptions } from "../client/mcp-options.ts";

type Result = {
  content: { text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

type Addressed = { url: string; headers: Record<string, string> };

async function call(to: string | Addressed, name: string, args: object): Promise<Result> {
  const { url, headers } = typeof to === "string" ? { url: to, headers: {} } : to;
  const reply = await post(url, "tools/call", { params: { name, arguments: args }, headers });
  const body = (await reply.json()) as { result: Result };
  return body.result;
}

function connectTo({ url }: ServedHttp, more: Partial<McpToolServerOptions> = {}): McpToolServer {
  const server = new McpToolServer({ name: "team", transport: "http", url, ...more });
  onTestFinished(async () => await server.close());
  return server;
}

describe("the tools of createMcpServer", () => {
  it("are ask_<name> and run_<name>, with schemas of arguments and result [mcp-server.tools]", async () => {
    const { url } = await serveHttp();
    const reply = await post(url, "tools/list");
    const { result } = (await reply.json()) as { result: { tools: Record<string, unknown>[]; ttlMs: number } };
    const schemas = Object.fromEntries(result.tools.map((tool) => [tool["name"], tool]));

    expect(Object.keys(schemas)).toEqual(["ask_helper", "ask_typed", "run_flow"]);
    expect(schemas["ask_helper"]).toMatchObject({
      description: "Helps.",
      inputSchema: {
        properties: { message: { type: "string" }, sessionId: { type: "string" } },
        required: ["message"],
      },
      outputSchema: { required: ["text", "sessionId", "runId", "usage"] },
    });
    expect(schemas["ask_typed"]).toMatchObject({
      outputSchema: { properties: { structured: { properties: { age: { type: "integer" } } } } },
    });
    for (const { name, outputSchema } of result.tools) {
      const args = { ask_helper: { message: "tea" }, ask_typed: { message: "who" }, run_flow: { input: { count: 4 } } };
      const { structuredContent } = await call(url, String(name), args[name as keyof typeof args]);
      const { properties } = outputSchema as { properties: object };
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(structuredContent ?? {})));
      expect(properties).toMatchObject({ text: { type: "string" }, sessionId: { type: "string" } });
    }
    expect(result.ttlMs).toBeGreaterThan(0);
  });

  it("answer with text, structured content, ids and usage [mcp-server.result]", async () => {
    const { url } = await serveHttp();
    const plain = await call(url, "ask_helper", { message: "tea" });
    const typed = await call(url, "ask_typed", { message: "who" });
    const flow = await call(url, "run_flow", { input: { count: 4 } });

    expect(plain.content).toEqual([{ type: "text", text: 'You said "tea", turn 1.' }]);
    expect(plain.structuredContent).toEqual({
      text: 'You said "tea", turn 1.',
      sessionId: expect.any(String),
      runId: expect.any(String),
      usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
    });
    expect(typed.structuredContent).toMatchObject({ structured: { name: "Ada", age: 36 } });
    expect(flow.structuredContent).toMatchObject({ structured: { count: 5 } });
  });

  it("continue a session by its id [mcp-server.session]", async () => {
    const { url } = await serveHttp();
    const first = await call(url, "ask_helper", { message: "one" });
    const sessionId = first.structuredContent?.["sessionId"];
    const second = await call(url, "ask_helper", { message: "two", sessionId });

    expect(second.structuredContent).toMatchObject({ sessionId, text: 'You said "two", turn 2.' });
  });

  it("keep the sessions of users apart, by request.principal [mcp-server.principal]", async () => {
    const { url } = await serveHttp({}, [
      (asked, _response, next) => {
        const userId = asked.headers["x-user"];
        if (userId !== undefined) Object.assign(asked, { principal: { userId } });
        next();
      },
    ]);
    const first = await call({ url, headers: { "x-user": "ada" } }, "ask_helper", { message: "one" });
    const sessionId = first.structuredContent?.["sessionId"];
    const ada = await call({ url, headers: { "x-user": "ada" } }, "ask_helper", { message: "two", sessionId });
    const bob = await call({ url, headers: { "x-user": "bob" } }, "ask_helper", { message: "two", sessionId });

    expect(ada.structuredContent).toMatchObject({ text: 'You said "two", turn 2.' });
    expect(bob.structuredContent?.["text"] ?? bob.content[0]?.text).not.toContain("turn 2");
  });

  it("return errors as results with the public message alone [mcp-server.errors]", async () => {
    const { url, lines } = await serveHttp();
    const failed = await call(url, "ask_helper", { message: "fail" });
    const wrong = await call(url, "ask_helper", { message: 7 });
    const stray = await call(url, "ask_helper", { message: "x", userId: "ada" });
    const unknown = await post(url, "tools/call", { params: { name: "constructor", arguments: {} } });

    expect(failed).toMatchObject({ isError: true });
    expect(JSON.stringify(failed)).not.toContain("vendor");
    expect(wrong).toMatchObject({ isError: true, content: [{ text: "message must be a string." }] });
    expect(stray.content[0]?.text).toContain('Unknown argument "userId"');
    expect(await unknown.json()).toMatchObject({ error: { code: -32_602 } });
    expect(lines.join("")).toContain("A run for an MCP client failed");
  });

  it("are refused at construction when there are none, or two of one name [mcp-server.options]", () => {
    const helper = new Agent({ name: "helper", model: new ScriptedModel() });

    expect(() => createMcpServer({})).toThrow("needs at least one entry");
    expect(() => createMcpServer({ agents: { helper }, teams: { helper } })).toThrow('would be the tool "ask_helper"');
    expect(() => createMcpServer({ agents: { helper }, tools: [] } as never)).toThrow('Unknown option "tools"');
    expect(() => createMcpServer({ agents: [helper] as never })).toThrow("agents must be an object or a Map");
    expect(() => createMcpServer({ agents: { helper: {} as never } })).toThrow('agents["helper"] must be an agent');
  });
});

describe("an McpToolServer that uses an agent over HTTP", () => {
  it.each(["legacy", "2026-07-28", "auto"] as const)(
    "gets its answer with protocol %s, also as a tool of another agent [mcp-server.http]",
    async (protocol) => {
      const served = await serveHttp();
      const caller = new Agent({
        name: "caller",
        tools: [connectTo(served, { protocol })],
        model: new ScriptedModel(
          { toolCalls: [{ name: "team__ask_helper", arguments: { message: "tea" } }] },
          ({ messages }) => `It was told: ${JSON.stringify(messages.at(-1))}`,
        ),
      });
      const { text } = await caller.run("Ask the helper.");

      expect(text).toContain("turn 1.");
    },
  );

  it.each(["legacy", "2026-07-28"] as const)(
    "hears of progress, not too often, with protocol %s [mcp-server.progress]",
    async (protocol) => {
      const served = await serveHttp();
      const tools = await connectTo(served, { protocol }).getTools();
      const [long, slow] = [callContext(), callContext()];
      await callTool(tools, "team__ask_helper", { args: { message: "long" }, context: long });
      await callTool(tools, "team__ask_helper", { args: { message: "slow" }, context: slow });

      expect(slow.reported).toMatchObject([
        { progress: 1, message: "One " },
        { progress: 2, message: "two " },
        { progress: 3, message: "three." },
      ]);
      expect(long.reported.length).toBeGreaterThan(0);
      expect(long.reported.length).toBeLessThan(100);
    },
  );

  it.each(["legacy", "2026-07-28"] as const)(
    "aborts the model's call when its run is aborted, with protocol %s [mcp-server.cancel]",
    async (protocol) => {
      const served = await serveHttp();
      const tools = await connectTo(served, { protocol }).getTools();
      const abort = new AbortController();
      const asked = callTool(tools, "team__ask_helper", {
        args: { message: "hang" },
        context: callContext({ signal: abort.signal }),
      });
      await expect.poll(() => served.model.calls.length).toBe(1);
      abort.abort();

      await expect(asked).rejects.toMatchObject({ code: "cancelled" });
      await expect.poll(served.aborted).toBe(1);
    },
  );
});

describe("the HTTP handler of createMcpServer", () => {
  it("aborts the run when the connection is dropped, and when the server is closed [mcp-server.cancel]", async () => {
    const served = await serveHttp();
    const abort = new AbortController();
    const params = { name: "ask_helper", arguments: { message: "hang" } };
    const dropped = post(served.url, "tools/call", { params, signal: abort.signal });
    dropped.catch(() => {});
    await expect.poll(() => served.model.calls.length).toBe(1);
    abort.abort();
    await expect.poll(served.aborted).toBe(1);

    const open = post(served.url, "tools/call", { params });
    open.catch(() => {});
    await expect.poll(() => served.model.calls.length).toBe(2);
    await served.server.close();
    await expect.poll(served.aborted).toBe(2);
  });

  it("gives each request its own keys, and shows them nowhere [mcp-server.keys]", async () => {
    const served = await serveHttp();
    const key = (who: string) => `sk-canary-${who}-0123456789`;
    const users = ["a", "b", "c", "d"];
    const results = await Promise.all(
      users.map(
        async (who) =>
          await call({ url: served.url, headers: { "x-api-key": key(who) } }, "ask_helper", { message: who }),
      ),
    );
    const failed = await call({ url: served.url, headers: { "x-api-key": key("a") } }, "ask_helper", {
      message: "fail",
    });
    const none = await call(served.url, "ask_helper", { message: "none" });
    const used = served.model.calls.map(({ messages, options }) => [messages.at(-1)?.content, options.apiKey]);

    expect(new Map(used as [string, string | undefined][])).toEqual(
      new Map([...users.map((who) => [who, key(who)] as const), ["fail", key("a")], ["none", undefined]]),
    );
    expect(JSON.stringify([results, failed, none, served.lines])).not.toContain("sk-canary");
    const twice = await fetch(served.url, {
      method: "POST",
      headers: [["x-openai-api-key", "bad key\u{e9}"]],
      body: "{}",
    });
    expect(twice.status).toBe(400);
    expect(await twice.text()).not.toContain("bad key");
  });

  it("refuses other hosts and pages of other sites [mcp-server.source]", async () => {
    const open = await serveHttp();
    const own = new URL(open.url);
    const from = async (url: string, origin: string) => (await post(url, "tools/list", { headers: { origin } })).status;

    expect(await from(open.url, "https://evil.example")).toBe(403);
    expect(await from(open.url, "null")).toBe(403);
    expect(await from(open.url, own.origin)).toBe(200);

    const named = await serveHttp({ allowedHosts: ["127.0.0.1"], allowedOrigins: ["https://app.example.org"] });
    expect(await from(named.url, "https://app.example.org")).toBe(200);
    expect(await from(named.url, "https://evil.example")).toBe(403);
    const other = await serveHttp({ allowedHosts: ["service.example"] });
    expect((await post(other.url, "tools/list")).status).toBe(403);
  });

  it("refuses a page whose own name was made to point here, unless that name is in allowedHosts [mcp-server.source]", async () => {
    const statusFor = async ({ url }: ServedHttp, host: string): Promise<number | undefined> => {
      const headers = { host, origin: `http://${host}`, "content-type": "application/json" };
      const asked = request(url, { method: "POST", headers }).end("{}");
      const [reply] = (await once(asked, "response")) as [IncomingMessage];
      reply.resume();
      return reply.statusCode;
    };

    expect(await statusFor(await serveHttp(), "evil.example:80")).toBe(403);
    expect(await statusFor(await serveHttp({ allowedHosts: ["own.example"] }), "own.example")).not.toBe(403);
  });

  it("takes bodies that the host has read, and refuses longer ones than maxBodyBytes [mcp-server.body]", async () => {
    const { json } = await import("express");
    const parsed = await serveHttp({}, [json()]);
    const small = await serveHttp({ maxBodyBytes: 1000 });

    expect(await call(parsed.url, "ask_helper", { message: "tea" })).toMatchObject({
      structuredContent: { text: 'You said "tea", turn 1.' },
    });
    const params = { name: "ask_helper", arguments: { message: "x".repeat(2000) } };
    expect((await post(small.url, "tools/call", { params })).status).toBe(413);
    expect(
      (await fetch(small.url, { method: "POST", body: "{", headers: { "content-type": "application/json" } })).status,
    ).toBe(400);
    expect((await fetch(small.url)).status).toBe(405);
  });

  it("answers nothing but refusals once it is closed [mcp-server.shutdown]", async () => {
    for (const isUsed of [false, true]) {
      const served = await serveHttp();
      if (isUsed) await call(served.url, "ask_helper", { message: "tea" });
      await served.server.close();
      const params = { name: "ask_helper", arguments: { message: "tea" } };
      const reply = await post(served.url, "tools/call", { params });

      expect(reply.status).toBe(503);
      expect(await reply.json()).toMatchObject({ error: { message: "The server is shutting down." } });
      expect(served.lines.join("")).not.toContain('"level":"error"');
    }
  });
});
