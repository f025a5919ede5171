import { Agent, createLogger } from "@troupe/core";
import { checkConformance, ScriptedModel, toolSourceCases } from "@troupe/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { callContext, callTool, startFixtureHttp, stdioServer } from "../../test/start.ts";
import type { FixtureHttp } from "../../test/start.ts";
import { McpToolServer } from "./mcp-tool-server.ts";

const opened: { close(): Promise<void> }[] = [];

function kept<Value extends { close(): Promise<void> }>(value: Value): Value {
  opened.push(value);
  return value;
}

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

async function httpServer(): Promise<{ server: McpToolServer; fixture: FixtureHttp }> {
  const fixture = kept(await startFixtureHttp());
  return { server: kept(new McpToolServer({ name: "box", transport: "http", url: fixture.url })), fixture };
}

describe("an McpToolServer over stdio", () => {
  checkConformance(it, toolSourceCases, {
    create: () => ({
      source: stdioServer(),
      call: { tool: "box__echo", args: { text: "hello" } },
      endlessCall: { tool: "box__hang", args: {} },
    }),
    dispose: async ({ source }) => await source.close?.(),
  });

  it("starts the command with its arguments and nothing but PATH, HOME and env [mcp.stdio] [mcp.environment]", async () => {
    const server = kept(stdioServer({ env: { GIVEN: "yes" } }));
    const shown = JSON.parse((await callTool(await server.getTools(), "box__environment")) as string) as object;

    expect(Object.keys(shown).toSorted()).toEqual(["GIVEN", "HOME", "PATH"]);
  });

  it("gives no line of the command to a shell [mcp.environment]", async () => {
    const server = kept(
      new McpToolServer({ name: "box", transport: "stdio", command: "echo hi; true", args: ["$HOME"] }),
    );

    await expect(server.connect()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/could not be started/) as string,
    });
  });
});

describe("an McpToolServer over http", () => {
  checkConformance(it, toolSourceCases, {
    create: async () => {
      const { server: source, fixture } = await httpServer();
      return {
        source,
        fixture,
        call: { tool: "box__echo", args: { text: "hello" } },
        endlessCall: { tool: "box__hang", args: {} },
      };
    },
  });

  it("sends its headers with each request, and ends its session when it is closed [mcp.http] [mcp.close]", async () => {
    const fixture = kept(await startFixtureHttp());
    const headers = { "x-api-key": "key-of-the-server" };
    const server = new McpToolServer({ name: "box", transport: "http", url: fixture.url, headers });
    await callTool(await server.getTools(), "box__echo", { args: { text: "hi" } });
    const open = fixture.sessions.size;
    await server.close();

    expect(fixture.requests.map(({ rpc, method }) => rpc ?? method)).toContain("tools/call");
    expect(new Set(fixture.requests.map((request) => request.headers["x-api-key"]))).toEqual(
      new Set(["key-of-the-server"]),
    );
    expect([open, fixture.sessions.size]).toEqual([1, 0]);
  });
});

describe("the tools of an McpToolServer", () => {
  it("are those of all pages, with the server's name before theirs, legal and unique [mcp.name] [mcp.get-tools]", async () => {
    const tools = await kept(stdioServer()).getTools();
    const names = tools.map(({ name }) => name);

    expect(names).toContain("box__echo");
    expect(names).toContain("box__a_b");
    expect(names.filter((name) => /^box__a_b_[0-9a-f]{8}$/.test(name))).toHaveLength(1);
    expect(names).toContain("box__weather_in__r_mqi_");
    expect(names.filter((name) => name.length === 64)).toEqual([expect.stringMatching(/^box__long-x+_[0-9a-f]{8}$/)]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("are called by the server's own names [mcp.name]", async () => {
    const tools = await kept(stdioServer()).getTools();
    const odd = tools.filter(({ name }) => /__a_b|weather|long/.test(name));
    const said = await Promise.all(odd.map(async ({ name }) => await callTool(tools, name)));

    expect(new Set(said)).toEqual(new Set(["a_b", "a.b", "weather in Ürümqi?", `long-${"x".repeat(100)}`]));
  });

  it("keep their JSON Schema, without $schema and marks for HTTP clients [mcp.get-tools]", async () => {
    const tools = await kept(stdioServer()).getTools();
    const echo = tools.find(({ name }) => name === "box__echo");

    expect(echo?.parameters).toEqual({ type: "object", properties: { text: { type: "string" } }, required: ["text"] });
    expect(echo?.description).toBe("Says it again");
    expect(tools.find(({ name }) => name === "box__fail")?.description).toBe("Fails");
  });

  it.each([
    [false, { box__echo: "once", box__environment: "once", box__fail: "once" }],
    [true, { box__echo: "pure", box__environment: "idempotent", box__fail: "once" }],
  ])(
    "have an effect by their annotations only where the host trusts these: %s [mcp.effect]",
    async (trust, expected) => {
      const tools = await kept(stdioServer({ trustAnnotations: trust })).getTools();
      const effects = Object.fromEntries(tools.map(({ name, effect }) => [name, effect]));

      expect(effects).toMatchObject(expected);
      const byDefault = await kept(stdioServer()).getTools();
      expect(new Set(byDefault.map(({ effect }) => effect))).toEqual(new Set(["once"]));
    },
  );

  it("are those that allow and deny let through, by the server's names [mcp.filter]", async () => {
    const tools = await kept(stdioServer({ tools: { allow: ["echo", "a.b", "pid"], deny: ["pid"] } })).getTools();

    expect(tools.map(({ name }) => name)).toEqual(["box__echo", expect.stringMatching(/^box__a_b_[0-9a-f]{8}$/)]);
  });

  it("are reported where allow or deny names one that the server does not have, once [mcp.filter]", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "warn", write: (line) => void lines.push(line) });
    const server = kept(stdioServer({ tools: { allow: ["echo", "ecko"], deny: ["dye"] }, logger }));
    await server.getTools();
    await server.refresh();

    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("ecko");
    expect(lines[0]).toContain("dye");
  });

  it("stay the same objects while their definitions do, and are listed again by refresh [mcp.refresh]", async () => {
    const server = kept(stdioServer());
    const before = await server.getTools();
    const after = await server.refresh();

    expect(after).toEqual(before);
    expect(after.every((tool, index) => tool === before[index])).toBe(true);
  });

  it("change for the next run when the server says so, and not within a run [mcp.list-changed]", async () => {
    const server = kept(stdioServer());
    const model = new ScriptedModel({ toolCalls: [{ name: "box__more", arguments: {} }] }, "one", "two");
    const agent = new Agent({ name: "a", model, tools: [server] });
    await agent.run("first");
    await agent.run("second");
    const seen = model.calls.map(({ options }) => options?.tools?.some(({ name }) => name === "box__added"));

    expect(seen).toEqual([false, false, true]);
  });
});

describe("a call of a tool of an McpToolServer", () => {
  it("reports the server's progress [mcp.progress]", async () => {
    const context = callContext();
    const said = await callTool(await kept(stdioServer()).getTools(), "box__progress", { context });

    expect(said).toBe("done");
    expect(context.reported).toEqual([
      { progress: 1, total: 2, message: "step 1" },
      { progress: 2, total: 2, message: "step 2" },
    ]);
  });

  it("fails with the server's text when the tool says that it failed, without secrets [mcp.errors]", async () => {
    const server = kept(stdioServer({ env: { SECRET_KEY: "canary-4711" } }));
    const tools = await server.getTools();

    await expect(callTool(tools, "box__fail")).rejects.toThrow("No such file, [redacted]");
    await expect(callTool(tools, "box__refuse")).rejects.toMatchObject({
      code: "invalid_request",
      message: 'The MCP server "box" refused a call of the tool refuse: Not with these arguments',
    });
  });

  it("ends at timeoutMs with an error that says so [mcp.timeout]", async () => {
    const tools = await kept(stdioServer({ timeoutMs: 50 })).getTools();

    await expect(callTool(tools, "box__hang")).rejects.toMatchObject({
      code: "timeout",
      message: 'The MCP server "box" did not answer a call of the tool hang within 50 ms.',
    });
  });

  it("is cancelled at the server when the run is aborted [mcp.timeout]", async () => {
    const { server, fixture } = await httpServer();
    const abort = new AbortController();
    const tools = await server.getTools();
    const hanging = callTool(tools, "box__hang", { context: callContext({ signal: abort.signal }) });
    const failure = hanging.catch((error: unknown) => error);
    await expect.poll(() => fixture.requests.map(({ rpc }) => rpc)).toContain("tools/call");
    abort.abort();

    expect(await failure).toMatchObject({ code: "cancelled" });
    await expect.poll(() => fixture.requests.map(({ rpc }) => rpc)).toContain("notifications/cancelled");
  });

  it("gives the model no more than maxOutputBytes [mcp.bounded]", async () => {
    const model = new ScriptedModel({ toolCalls: [{ name: "box__large", arguments: {} }] }, "done");
    const agent = new Agent({ name: "a", model, tools: [kept(stdioServer({ maxOutputBytes: 1000 }))] });
    const { toolCalls } = await agent.run("Go");

    expect(toolCalls[0]?.result).toSatisfy((text: string) => text.length < 1100);
  });
});

describe("an agent that is given an McpToolServer", () => {
  it("connects it when a run first needs it, and closes it with itself [mcp.connect] [mcp.close]", async () => {
    const { server, fixture } = await httpServer();
    const model = new ScriptedModel({ toolCalls: [{ name: "box__echo", arguments: { text: "hi" } }] }, "done");
    const agent = new Agent({ name: "a", model, tools: [server] });
    const before = fixture.requests.length;
    const { toolCalls } = await agent.run("Go");
    await agent.close();

    expect(before).toBe(0);
    expect(toolCalls).toMatchObject([{ toolName: "box__echo", result: "hi" }]);
    expect(fixture.sessions.size).toBe(0);
    await expect(server.getTools()).rejects.toThrow('The MCP server "box" is closed. Call connect() to open it again.');
    await server.connect();
    expect(fixture.sessions.size).toBe(1);
  });

  it("has the tools that getTools returned [mcp.get-tools]", async () => {
    const { server } = await httpServer();
    const model = new ScriptedModel({ toolCalls: [{ name: "box__echo", arguments: { text: "hi" } }] }, "done");
    const agent = new Agent({ name: "a", model, tools: await server.getTools() });

    expect((await agent.run("Go")).toolCalls).toMatchObject([{ result: "hi" }]);
  });
});
