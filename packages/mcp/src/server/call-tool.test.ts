import { Agent, createLogger, defineTool, TroupeError, UserMemory, Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { RunContext, ToolDef } from "@troupe/core";
import { noUsage } from "@troupe/core/provider";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { post, serveHttp } from "../../test/serve-http.ts";
import type { ServedHttp } from "../../test/serve-http.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";

type RunOptions = NonNullable<McpServerOptions["runOptions"]>;
type Block = Record<string, unknown>;
type Result = { content: Block[]; isError?: boolean; structuredContent?: Record<string, unknown> };

type Args = { headers?: Record<string, string>; [name: string]: unknown };

async function call({ url }: ServedHttp, name: string, { headers = {}, ...args }: Args): Promise<Result> {
  const reply = await post(url, "tools/call", { params: { name, arguments: args }, headers });
  return ((await reply.json()) as { result: Result }).result;
}

const parameters = { type: "object", properties: {} } as const;
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** An agent that calls its one tool and then answers. */
function agentWith(execute: ToolDef["execute"]): Agent {
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "user" ? { toolCalls: [{ name: "look", arguments: {} }] } : "Done.",
  );
  const look = defineTool({ name: "look", description: "Looks.", parameters, execute });
  return new Agent({ name: "viewer", model, tools: [look] });
}

describe("the result of a run whose tools returned more than text", () => {
  const viewer = agentWith(() => ({
    content: [
      { type: "text", text: "Here they are." },
      { type: "image", data: png },
      { type: "image", data: `data:image/gif;base64,R0lGODlh` },
      { type: "image", data: "https://example.com/seen.png" },
      { type: "audio", data: "UklGRiQAAABXQVZF", mimeType: "audio/wav" },
      { type: "file", data: "aGk=", mimeType: "application/pdf", filename: "a b.pdf" },
    ],
    artifacts: [
      { type: "image", data: png, mimeType: "image/png" },
      { type: "resource", data: { uri: "note://one", blob: "bm90ZQ" }, mimeType: "text/plain" },
      { type: "resource", data: { uri: "note://two", text: "Two." } },
      { type: "resource", data: { uri: "note://three", blob: "no base64!" } },
      { type: "chart", data: { points: [1, 2] } },
    ],
  }));

  it("has images, audio and files as blocks, each once [mcp-server.media]", async () => {
    const { content, structuredContent } = await call(await serveHttp({ agents: { viewer } }), "ask_viewer", {
      message: "Look.",
    });

    expect(content).toEqual([
      { type: "text", text: "Done." },
      { type: "image", data: png, mimeType: "image/png" },
      { type: "image", data: "R0lGODlh", mimeType: "image/gif" },
      { type: "audio", data: "UklGRiQAAABXQVZF", mimeType: "audio/wav" },
      {
        type: "resource",
        resource: { uri: "attachment:a%20b.pdf", blob: "aGk=", mimeType: "application/pdf" },
      },
      { type: "resource", resource: { uri: "note://one", blob: "bm90ZQ==", mimeType: "text/plain" } },
      { type: "resource", resource: { uri: "note://two", text: "Two." } },
    ]);
    expect(structuredContent).toMatchObject({ text: "Done." });
  });

  it("leaves out what is beyond maxMediaBytes and says so, or sends none with 0 [mcp-server.media]", async () => {
    const small = await call(await serveHttp({ agents: { viewer }, maxMediaBytes: 30 }), "ask_viewer", {
      message: "Look.",
    });
    const none = await call(await serveHttp({ agents: { viewer }, maxMediaBytes: 0 }), "ask_viewer", {
      message: "Look.",
    });

    expect(small.content.map(({ type }) => type)).toEqual(["text", "image", "audio", "resource", "text"]);
    expect(small.content.at(-1)).toMatchObject({ text: expect.stringContaining("[3 of the images") as string });
    expect(none.content).toEqual([{ type: "text", text: "Done." }]);
  });

  it("has nothing of a tool that failed [mcp-server.media]", async () => {
    const failing = agentWith(() => {
      throw new Error(png);
    });
    const { content } = await call(await serveHttp({ agents: { viewer: failing } }), "ask_viewer", { message: "x" });

    expect(content).toEqual([{ type: "text", text: "Done." }]);
  });
});

describe("runOptions of createMcpServer", () => {
  it("gives a run the host's options of its own request, which the client cannot set [mcp-server.run-options]", async () => {
    const seen: unknown[] = [];
    const viewer = agentWith((_args, { metadata, userId }: RunContext) => {
      seen.push({ metadata, userId });
      return "ok";
    });
    const runOptions: RunOptions = async (request) =>
      await Promise.resolve({ metadata: { plan: request.headers.get("x-plan") } });
    const served = await serveHttp({ agents: { viewer }, runOptions });
    await call(served, "ask_viewer", { message: "Look.", sessionId: "s1", headers: { "x-plan": "gold" } });
    await call(served, "ask_viewer", { message: "Look.", sessionId: "s1", headers: { "x-plan": "basic" } });

    expect(seen).toEqual([{ metadata: { plan: "gold" } }, { metadata: { plan: "basic" } }]);
  });

  it("is the result when it throws, and a fault of the service when it is wrong [mcp-server.run-options]", async () => {
    const refuse: RunOptions = () => {
      throw new TroupeError("forbidden", "This plan has no agents.");
    };
    const wrong = (() => ({ userId: "root" })) as unknown as RunOptions;
    const refused = await call(await serveHttp({ runOptions: refuse }), "ask_helper", { message: "x" });
    const served = await serveHttp({ runOptions: wrong });
    const failed = await call(served, "ask_helper", { message: "x" });

    expect(refused).toMatchObject({ isError: true, content: [{ text: "This plan has no agents." }] });
    expect(failed).toMatchObject({ isError: true });
    expect(JSON.stringify(failed)).not.toContain("userId");
    expect(served.lines.join("")).toContain('Unknown option \\"userId\\" of runOptions(request)');
    expect(served.model.calls).toHaveLength(0);
  });
});

type Given = { sessionId?: string; isNewSession?: boolean };

describe("a runnable that returns a text alone", () => {
  it("has the ids of its run, and is told of a new session [mcp-server.result] [mcp-server.session]", async () => {
    const given: unknown[] = [];
    const plain = {
      name: "plain",
      kind: "remote",
      stream: () => expect.unreachable(),
      run: async (_input: unknown, { sessionId, isNewSession = false }: Given = {}) => {
        given.push({ sessionId, isNewSession });
        return await Promise.resolve({ text: "Hi.", toolCalls: [], usage: noUsage });
      },
    };
    const served = await serveHttp({ agents: { plain: plain as unknown as Agent } });
    const { structuredContent } = await call(served, "ask_plain", { message: "tea" });
    const again = await call(served, "ask_plain", { message: "tea", sessionId: "s1" });

    const id = expect.stringMatching(/^[\da-f-]{36}$/) as string;
    expect(structuredContent).toMatchObject({ text: "Hi.", sessionId: id, runId: id });
    expect(again.structuredContent).toMatchObject({ sessionId: "s1", runId: id });
    expect(given).toEqual([
      { sessionId: structuredContent?.["sessionId"], isNewSession: true },
      { sessionId: "s1", isNewSession: false },
    ]);
  });
});

describe("the log of createMcpServer", () => {
  it.each([
    ["internal", "error"],
    ["storage_unavailable", "error"],
    ["forbidden", "warn"],
    ["not_found", "warn"],
    ["invalid_request", undefined],
  ] as const)("has a call that failed with %s at the level %s [mcp-server.errors]", async (code, level) => {
    const runOptions: RunOptions = () => {
      throw new TroupeError(code, "It failed.");
    };
    const served = await serveHttp({ runOptions });
    await call(served, "ask_helper", { message: "x" });
    const logged = served.lines.map((line) => JSON.parse(line) as { level: string; message: string });

    const failures = logged.filter(({ message }) => message.startsWith("A run for an MCP client failed"));
    expect(failures.map((line) => line.level)).toEqual(level === undefined ? [] : [level]);
  });

  it("has the warnings of its agents, until it is closed [mcp-server.warnings]", async () => {
    const failing = new ScriptedModel().respond(() => ({ error: new Error("no facts about sk-canary") }));
    const userMemory = new UserMemory({ model: failing });
    const model = new ScriptedModel().respond(() => "Hi.");
    const helper = new Agent({ name: "helper", model, userMemory, retry: { maxRetries: 0 } });
    const served = await serveHttp({ agents: { helper } }, [
      (asked, _response, next) => {
        Object.assign(asked, { principal: { userId: "ada" } });
        next();
      },
    ]);
    const { structuredContent } = await call(served, "ask_helper", { message: "I am Ada." });
    await userMemory.flush();
    const warnings = served.lines.filter((line) => line.includes("No facts could be extracted"));

    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(String(structuredContent?.["runId"]));
    expect(warnings[0]).not.toContain("sk-canary");
    await served.server.close();
    await helper.run("I am Ada.", { userId: "ada" });
    await userMemory.flush();
    expect(served.lines.filter((line) => line.includes("No facts could"))).toHaveLength(1);
  });
});

describe("the schema of run_<name>", () => {
  it("has the keys of the initial state, which are the ones that the workflow takes [mcp-server.tools]", async () => {
    const steps = [{ name: "one", run: () => ({}) }];
    const initialState = { topic: "", count: 1, isShort: true, tags: [], options: {}, found: null };
    const brief = new Workflow({ name: "brief", initialState, steps });
    const open = new Workflow({ name: "open", initialState: {}, steps });
    const served = await serveHttp({ agents: {}, workflows: { brief, open } });
    const { result } = (await (await post(served.url, "tools/list")).json()) as {
      result: { tools: { name: string; inputSchema: { properties: { input: { anyOf: object[] } } } }[] };
    };
    const input = (name: string) => result.tools.find((tool) => tool.name === name)?.inputSchema.properties.input;

    expect(input("run_brief")?.anyOf).toEqual([
      {
        type: "object",
        properties: {
          topic: { type: "string" },
          count: { type: "number" },
          isShort: { type: "boolean" },
          tags: { type: "array" },
          options: { type: "object" },
          found: {},
        },
        additionalProperties: false,
      },
      { type: "string" },
    ]);
    expect(input("run_open")?.anyOf).toEqual([{ type: "object" }, { type: "string" }]);
    expect(await call(served, "run_brief", { input: { count: "two" } })).toMatchObject({
      isError: true,
      content: [{ text: "input.count must be a number." }],
    });
  });
});

describe("the end of the service", () => {
  const shuttingDown = "The service is shutting down. Try again in a moment.";

  it("refuses new calls, waits for those that run, and then ends sessions [mcp-server.shutdown]", async () => {
    const served = await serveHttp({ logger: createLogger({ level: "silent" }) });
    const { service } = served.server;
    const slow = call(served, "ask_helper", { message: "slow" });
    await expect.poll(() => service.servedRuns.size).toBe(1);
    let isOver = false;
    const closed = service.close().then(() => (isOver = true));
    const refused = await call(served, "ask_helper", { message: "tea" });

    expect(refused).toMatchObject({ isError: true, content: [{ text: shuttingDown }] });
    expect(isOver).toBe(false);
    expect(await slow).toMatchObject({ structuredContent: { text: "One two three." } });
    await closed;
    expect([service.servedRuns.size, (await post(served.url, "tools/list")).status]).toEqual([0, 503]);
  });

  it("lets a client close its connection that it asks meanwhile [mcp-server.shutdown]", async () => {
    const served = await serveHttp();
    const { service } = served.server;
    const slow = call(served, "ask_helper", { message: "slow" });
    await expect.poll(() => service.servedRuns.size).toBe(1);
    const closed = service.close();
    const { status, headers } = await post(served.url, "tools/list");

    expect([status, headers.get("connection")]).toEqual([200, "close"]);
    await Promise.all([slow, closed]);
  });

  it("ends sessions also when durable tasks cannot be handed back, and tells of that [mcp-server.shutdown]", async () => {
    const agents = { helper: new Agent({ name: "helper", model: new ScriptedModel("Yes.") }) };
    const runs = new RunService({ agents });
    vi.spyOn(runs, "drain").mockRejectedValue(new Error("The storage is away."));
    const served = await serveHttp({ agents, runs });
    expect((await post(served.url, "tools/list")).status).toBe(200);
    await served.server.service.close();

    expect(served.lines.join("")).toContain("The storage is away.");
    expect((await post(served.url, "tools/list")).status).toBe(503);
  });

  it("ends the calls that are left when their time is over [mcp-server.shutdown]", async () => {
    const served = await serveHttp();
    const hanging = call(served, "ask_helper", { message: "hang" });
    await expect.poll(() => served.model.calls.length).toBe(1);
    await served.server.service.close({ graceMs: 0 });

    expect(await hanging).toMatchObject({ isError: true, content: [{ text: shuttingDown }] });
    await expect.poll(served.aborted).toBe(1);
  });
});
