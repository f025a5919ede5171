import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createA2AServer } from "@troupe/a2a";
import { Agent, InMemoryStorage, Workflow } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { createMcpServer } from "@troupe/mcp";
import { createAgentGateway } from "@troupe/socket";
import { chatStream } from "@troupe/use-chat";
import { takeBreaches, watchSocket } from "@troupe-internal/stream-grammars";
import express from "express";
import { Server } from "socket.io";
import { io as dial } from "socket.io-client";
import { expect, it, onTestFinished, vi } from "vitest";

/** Makes an agent whose stream is wrong in every protocol: a call that comes twice, and an artifact of many last pieces. */
function wrongAgent(): Agent {
  const agent = new Agent({ name: "a", model: new ScriptedModel(), storage: new InMemoryStorage() });
  const toolCall = { id: "c", name: "t" };
  const piece = { artifactId: "x", parts: [{ kind: "text", text: "." }], append: false, isLast: true };
  const artifacts = [piece, piece].map((data) => ({ type: "a2a.artifact", data }));
  const result = { type: "tool_result", toolCallId: "c", toolName: "t", result: "", durationMs: 1, artifacts };
  const chunks = [
    { type: "tool_call_start", toolCall },
    { type: "tool_call_start", toolCall },
    { ...result, toolCallId: "d" },
    { type: "finish", finishReason: "stop" },
  ] as unknown as StreamChunk[];
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
  const stream: Agent["stream"] = (_input, { runId = "", sessionId = "" } = {}) => {
    const output = Promise.resolve({ text: "", toolCalls: [], usage, runId, sessionId, status: "completed" });
    async function* read() {
      yield* chunks;
    }
    return { runId, output, [Symbol.asyncIterator]: read } as unknown as ReturnType<Agent["stream"]>;
  };
  return Object.assign(agent, { stream });
}

/** Serves the agent over all transports until the test is over, and returns the address. */
async function serve(): Promise<string> {
  const agents = { a: wrongAgent() };
  const flow = new Workflow({ name: "w", initialState: {}, steps: [{ name: "s", agent: agents.a }] });
  const mcp = createMcpServer({
    agents: {},
    extend: (server) => {
      server.registerTool("count", {}, async ({ mcpReq: { notify } }) => {
        for (const progress of [2, 1])
          await notify({ method: "notifications/progress", params: { progressToken: 1, progress } });
        return { content: [] };
      });
    },
  });
  const a2a = createA2AServer({ agents });
  const app = express().use("/mcp", mcp.handler).use("/a2a", a2a);
  const service = createService({ agents, workflows: { w: flow } });
  const server = createServer(app.use(createRouter(service, [http(), chatStream()])));
  const io = new Server(server);
  const gateway = createAgentGateway({ io, agents });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await Promise.all([io.close(), gateway.close(), mcp.close(), a2a.service.close(), service.close()]);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Posts JSON, reads the answer and returns the breaches of its stream. */
async function breachesOf(path: string, body: object, headers: Record<string, string> = {}): Promise<string[]> {
  const response = await fetch((await serve()) + path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body),
  });
  await response.text();
  return takeBreaches().map(({ message }) => message);
}

const message = { messageId: "m", parts: [{ kind: "text", text: "Hi" }] };
const rpc = { jsonrpc: "2.0", id: 1 };
const chat = {
  id: "chat",
  trigger: "submit-message",
  messages: [{ id: "u", role: "user", parts: [{ type: "text", text: "Hi" }] }],
};
const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
  progressToken: 1,
};

it.each([
  ["of an agent", "/agents/a/stream", { input: "Hi" }, {}, "one-start"],
  ["of a workflow", "/workflows/w/stream", {}, {}, "one-start"],
  ["of UI messages", "/agents/a/ui", chat, {}, "input-available"],
  [
    "of A2A 0.3",
    "/a2a",
    { ...rpc, method: "message/stream", params: { message: { kind: "message", role: "user", ...message } } },
    {},
    "last-chunk",
  ],
  [
    "of A2A 1.0",
    "/a2a",
    {
      ...rpc,
      method: "SendStreamingMessage",
      params: { message: { ...message, role: "ROLE_USER", parts: [{ text: "Hi" }] } },
    },
    { "a2a-version": "1.0" },
    "last-chunk",
  ],
  [
    "of MCP",
    "/mcp",
    { ...rpc, method: "tools/call", params: { name: "count", arguments: {}, _meta: modern } },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "count" },
    "progress-rises",
  ],
] as const)(
  "a test that reads the stream %s fails if it breaks the grammar",
  async (...[, path, body, headers, rule]) => {
    expect(await breachesOf(path, body, headers)).toEqual([expect.stringContaining(`breaks the rule ${rule}:`)]);
  },
);

it.each([
  ["of a chat completion", "/v1/chat/completions", 'data: {"object":"chat.completion"}', "object"],
  ["of a response", "/v1/responses", 'event: response.created\ndata: {"type":"response.created"}', "sequence"],
])("a test that reads the stream %s fails if it breaks the grammar", async (...[, path, frame, rule]) => {
  const head = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform" };
  const server = createServer((_request, response) => void response.writeHead(200, head).end(`${frame}\n\n`));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method: "POST" })).text();

  expect(takeBreaches().map(({ message: text }) => text)[0]).toContain(`breaks the rule ${rule}:`);
});

it("a test whose socket receives events that break the grammar fails", async () => {
  const socket = watchSocket(dial(`${await serve()}/service`, { transports: ["websocket"], forceNew: true }));
  onTestFinished(() => void socket.disconnect());
  socket.emit("agent.run", { name: "a", input: "Hi" });

  const breaches: string[] = [];
  await vi.waitFor(() => {
    breaches.push(...takeBreaches().map(({ message: text }) => text));
    expect(breaches[0]).toContain("breaks the rule one-start:");
  });
});
