import { Agent, EventBus } from "@troupe/core";
import type { RunEvents } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { callContext, callTool, startFixtureHttp } from "../../test/start.ts";
import { McpToolServer } from "./mcp-tool-server.ts";
import type { McpToolServerOptions } from "./mcp-options.ts";

const opened: { close(): Promise<void> }[] = [];

function kept<Value extends { close(): Promise<void> }>(value: Value): Value {
  opened.push(value);
  return value;
}

afterEach(async () => {
  vi.useRealTimers();
  for (const each of opened.splice(0).toReversed()) await each.close();
});

type Results = { tools: unknown[]; called?: unknown };

/** A server over HTTP that lists these tools, and counts how often it was asked to. */
async function serverOf(results: Results, options: Partial<McpToolServerOptions> = {}) {
  const fixture = kept(await startFixtureHttp());
  let listed = 0;
  fixture.intercept = (_, response, body) => {
    const { id, method } = (body === "" ? {} : JSON.parse(body)) as { id?: number; method?: string };
    if (method !== "tools/list" && method !== "tools/call") return false;
    if (method === "tools/list") listed++;
    const result = method === "tools/list" ? { tools: results.tools } : results.called;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    return true;
  };
  const server = kept(new McpToolServer({ name: "box", transport: "http", url: fixture.url, ...options }));
  return { server, listed: () => listed };
}

const inputSchema = { type: "object" };
const toolsNamed = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `t${n}`, inputSchema }));
/** A schema of exactly so many bytes of JSON. */
const schemaOf = (bytes: number) => ({ $comment: "x".repeat(bytes - JSON.stringify({ $comment: "" }).length) });

describe("a list of tools", () => {
  it.each<[string, object, unknown[], unknown[], string]>([
    ["500 tools", {}, toolsNamed(500), toolsNamed(501), "lists more than 500 tools. If you trust it, raise maxTools."],
    [
      "maxTools",
      { maxTools: 2 },
      toolsNamed(2),
      toolsNamed(3),
      "lists more than 2 tools. If you trust it, raise maxTools.",
    ],
    [
      "schemas of 64 KB",
      {},
      [{ name: "a", inputSchema: schemaOf(65_536), outputSchema: schemaOf(65_536) }],
      [{ name: "a", inputSchema, outputSchema: schemaOf(65_537) }],
      'lists the tool "a" with an outputSchema of more than 65536 bytes. If you trust it, raise maxSchemaBytes, or leave the tool out by tools.deny.',
    ],
    [
      "maxSchemaBytes",
      { maxSchemaBytes: 100 },
      [{ name: "a", inputSchema: schemaOf(100) }],
      [{ name: "a", inputSchema: schemaOf(101) }],
      'lists the tool "a" with an inputSchema of more than 100 bytes. If you trust it, raise maxSchemaBytes, or leave the tool out by tools.deny.',
    ],
    [
      "descriptions of 4 KB",
      {},
      [{ name: "a", inputSchema, description: "é".repeat(2048) }],
      [{ name: "a", inputSchema, description: `${"é".repeat(2048)}.` }],
      'lists the tool "a" with a description of more than 4096 bytes. If you trust it, raise maxDescriptionBytes, or leave the tool out by tools.deny.',
    ],
  ])(
    "of up to %s is taken whole, and refused beyond [mcp.list-bounds]",
    async (...[, options, within, beyond, message]) => {
      const taken = await (await serverOf({ tools: within }, options)).server.getTools();
      const { server } = await serverOf({ tools: beyond }, options);

      expect(taken).toHaveLength(within.length);
      await expect(server.getTools()).rejects.toMatchObject({
        code: "unavailable",
        message: `The MCP server "box" ${message}`,
      });
    },
  );

  it("is bounded for all its pages together by maxMessageBytes [mcp.list-bounds]", async () => {
    const tools = toolsNamed(3).map((tool) => ({ ...tool, inputSchema: schemaOf(500) }));
    const results = { tools };
    const { server } = await serverOf(results, { maxMessageBytes: 2000 });
    const taken = await server.getTools();
    results.tools = [...tools, ...tools.map((tool) => ({ ...tool, name: `more-${tool.name}` }))].slice(0, 5);

    expect(taken).toHaveLength(3);
    await expect(server.refresh()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("may hold a tool beyond a bound that the host leaves out [mcp.list-bounds]", async () => {
    const large = { name: "large", inputSchema: schemaOf(70_000), description: "x".repeat(5000) };
    const { server } = await serverOf({ tools: [large, ...toolsNamed(1)] }, { tools: { deny: ["large"] } });

    expect((await server.getTools()).map(({ name }) => name)).toEqual(["box__t0"]);
  });

  it("a list of tools that is refused costs a run its tools and a warning, and is read again after a while or by refresh [mcp.list-bounds]", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const results = { tools: toolsNamed(501) };
    const { server, listed } = await serverOf(results);
    const eventBus = new EventBus();
    const warnings: RunEvents["run.warning"][] = [];
    eventBus.on("run.warning", (warning) => void warnings.push(warning));
    const agent = new Agent({ name: "a", model: new ScriptedModel("one", "two", "three"), tools: [server], eventBus });
    for (const input of ["first", "second"]) await agent.run(input);
    const inTime = listed();
    results.tools = toolsNamed(2);
    await vi.advanceTimersByTimeAsync(31_000);
    const later = await server.getTools(callContext());
    results.tools = toolsNamed(501);
    await expect(server.refresh()).rejects.toThrow("raise maxTools");
    results.tools = toolsNamed(3);

    expect(warnings.map(({ code }) => code)).toEqual(["tool_server_unavailable", "tool_server_unavailable"]);
    expect(inTime).toBe(1);
    expect(later).toHaveLength(2);
    expect(await server.refresh()).toHaveLength(3);
  });
});

describe("a result of a tool", () => {
  it("a result of a tool of 9.9 MB still arrives [mcp.bounded]", async () => {
    const text = "é".repeat(4_950_000);
    const { server } = await serverOf({ tools: toolsNamed(1), called: { content: [{ type: "text", text }] } });

    expect(await callTool(await server.getTools(), "box__t0")).toBe(text);
  });

  it("a result of a tool that does not fit the tool's own output schema is an error that says where [mcp.output-schema]", async () => {
    const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const called = { content: [], structuredContent: { n: "five" } };
    const { server } = await serverOf({ tools: [{ name: "t0", inputSchema, outputSchema }], called });

    await expect(callTool(await server.getTools(), "box__t0")).rejects.toThrow(
      /^The MCP server "box" answered a call of the tool t0 in a form .*: its structured content does not fit its own schema: n /,
    );
  });
});
