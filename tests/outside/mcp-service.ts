// A service with a plain agent, `helper`, and one agent for each hostile MCP server of the variable HOSTILE, which holds as JSON the
// URL or the arguments of the program by the name of the agent. Sends `{ port }` to its parent.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import type { ModelProvider, ModelResponse } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import { McpToolServer } from "@troupe/mcp";
import express from "express";

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
/** Calls the first tool once, if there is one, and then says yes. */
const model: ModelProvider = {
  providerId: "quick",
  modelId: "quick",
  generate: async (messages, { tools = [] } = {}): Promise<ModelResponse> => {
    const [tool] = messages.some(({ role }) => role === "tool") ? [] : tools;
    if (tool === undefined) return { text: "Yes.", toolCalls: [], usage, finishReason: "stop" };
    const call = { id: "call-1", name: tool.name, arguments: {} };
    return { text: "", toolCalls: [call], usage, finishReason: "tool_calls" };
  },
  async *stream() {
    yield { type: "text", text: "Yes." };
    yield { type: "finish", finishReason: "stop", usage };
  },
};

const hostile = JSON.parse(process.env["HOSTILE"] ?? "{}") as Record<string, string | string[]>;
const evil = Object.entries(hostile).map(([name, way]) => {
  const { execPath: command } = process;
  const tools = new McpToolServer(
    typeof way === "string"
      ? { name: "evil", transport: "http", url: way }
      : { name: "evil", transport: "stdio", command, args: way },
  );
  return [name, new Agent({ name, model, tools: [tools], logLevel: "silent" })] as const;
});
const helper = new Agent({ name: "helper", model, logLevel: "silent" });
const app = express().use(createAgentRouter({ agents: { helper, ...Object.fromEntries(evil) } }));
const server = createServer(app);
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
