import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema, TaskStatusNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpGrammar, watchTransport } from "@troupe-internal/stream-grammars";
import type { McpMessage } from "@troupe-internal/stream-grammars";
import { describe, expect, it, onTestFinished } from "vitest";
import { callContext, callTool } from "../../test/start.ts";
import { startTask } from "../../test/task-clients.ts";
import { McpToolServer } from "../client/mcp-tool-server.ts";
import type { McpToolServerOptions } from "../client/mcp-options.ts";

const program = fileURLToPath(new URL("../../test/served-agents.ts", import.meta.url));
const args = ["--disable-warning=ExperimentalWarning", "--conditions=@troupe/source", program];

function stdioTeam(more: Partial<McpToolServerOptions> = {}): McpToolServer {
  const server = new McpToolServer({ name: "team", transport: "stdio", command: process.execPath, args, ...more });
  onTestFinished(async () => await server.close());
  return server;
}

describe("an McpToolServer that uses an agent over stdio", () => {
  it.each(["legacy", "2026-07-28", "auto"] as const)(
    "gets its answer with protocol %s, as a tool of another agent [mcp-server.stdio]",
    async (protocol) => {
      const caller = new Agent({
        name: "caller",
        tools: [stdioTeam({ protocol })],
        model: new ScriptedModel(
          { toolCalls: [{ name: "team__ask_helper", arguments: { message: "tea" } }] },
          ({ messages }) => `It was told: ${JSON.stringify(messages.at(-1))}`,
        ),
      });
      const { text } = await caller.run("Ask the helper.");
      await caller.close();

      expect(text).toContain("turn 1.");
    },
  );

  it.each(["legacy", "2026-07-28"] as const)(
    "hears of progress, cancels a call and goes on, with protocol %s [mcp-server.cancel] [mcp-server.progress]",
    async (protocol) => {
      const tools = await stdioTeam({ protocol }).getTools();
      const abort = new AbortController();
      const asked = callTool(tools, "team__ask_helper", {
        args: { message: "hang" },
        context: callContext({ signal: abort.signal }),
      });
      asked.catch(() => {});
      const slow = callContext();
      await callTool(tools, "team__ask_helper", { args: { message: "slow" }, context: slow });
      expect(slow.reported).toMatchObject([{ message: "One " }, { message: "two " }, { message: "three." }]);

      abort.abort();
      await expect(asked).rejects.toMatchObject({ code: "cancelled" });
      expect(await callTool(tools, "team__ask_helper", { args: { message: "aborted" } })).toMatchObject({
        content: "aborted: 1",
      });
    },
  );
});

describe.each(["legacy", "2026-07-28"] as const)("a server with extend over stdio, with protocol %s", (protocol) => {
  it("lets a tool of the host ask the client's model [mcp-server.ask] [mcp-server.extend]", async () => {
    const onSampling = () => ({ text: "Sea.", model: "m" });
    const tools = await stdioTeam({ protocol, args: [...args, "extended"], onSampling }).getTools();

    expect(await callTool(tools, "team__sample")).toContain("Sea.");
  });

  it("tells the client of tools that are new, for its next run [mcp-server.notify]", async () => {
    const team = stdioTeam({ protocol, args: [...args, "extended"] });
    await callTool(await team.getTools(), "team__grow");

    await expect.poll(async () => (await team.getTools()).map(({ name }) => name)).toContain("team__grown");
  });
});

describe("serveStdio", () => {
  it("serves tasks, and tells of their changes [mcp-server.tasks] [mcp-server.task-status]", async () => {
    const client = new Client({ name: "t", version: "1" });
    await client.connect(
      watchTransport(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" })),
    );
    onTestFinished(async () => await client.close());
    const heard: string[] = [];
    client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void heard.push(params.status));
    const taskId = await startTask(client, "tea");

    expect(await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({
      content: [{ text: 'You said "tea", turn 1.' }],
      _meta: { "io.modelcontextprotocol/related-task": { taskId } },
    });
    await expect.poll(() => heard.at(-1)).toBe("completed");
  });

  it("writes nothing but the protocol to the standard output, and ends with its client [mcp-server.stdout]", async () => {
    const child = spawn(process.execPath, args, { stdio: "pipe" });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const grammar = new McpGrammar();
    const send = (fields: object) => {
      const message = { jsonrpc: "2.0", ...fields };
      grammar.send(message);
      child.stdin.write(`${JSON.stringify(message)}\n`);
    };
    send({ id: 1, method: "initialize", params });
    send({ method: "notifications/initialized" });
    await expect.poll(() => out).toContain("\n");
    send({ id: 2, method: "tools/call", params: { name: "ask_helper", arguments: { message: "hang" } } });
    const asked = { name: "ask_helper", arguments: { message: "tea" }, _meta: { progressToken: "tea" } };
    send({ id: 3, method: "tools/call", params: asked });
    await expect.poll(() => out).toContain('"id":3');
    child.stdin.end();
    const [code] = (await once(child, "close")) as [number];

    expect(code, err).toBe(0);
    for (const line of out.trim().split("\n")) grammar.read(JSON.parse(line) as McpMessage);
    expect(out).toContain('"notifications/progress"');
    expect(err).toContain("This line is not part of the protocol.");
    expect(err).toContain("The client has left; 1 model calls were aborted.");
  });
});
