import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { Agent, createLogger } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { mcp } from "@troupe/mcp";
import { z } from "zod";
import { answerRounds } from "../answer-rounds.ts";

/** One served call of a tool that asks an agent: by the official library alone, or by `mcp()`, which has the library inside. */
const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => ({ text: "Hello." })) });

function byLibrary(): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "greeter", version: "1" });
    const inputSchema = z.object({ message: z.string() });
    server.registerTool("ask_a", { description: "Asks a.", inputSchema }, async ({ message }) => {
      const { text } = await agent.run(message);
      return { content: [{ type: "text", text: text ?? "" }] };
    });
    return server;
  });
  return async (request) => await handler.fetch(request);
}

function byTroupe(): (request: Request) => Promise<Response> {
  const service = createService({ agents: { a: agent }, logger: createLogger({ level: "silent" }) });
  return createHandler(service, [mcp()]);
}

const answer = process.env["BENCH_CANDIDATE"] === "library" ? byLibrary() : byTroupe();
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const params = { name: "ask_a", arguments: { message: "Hi" } };
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
answerRounds(async (count) => {
  for (let at = 0; at < count; at++) {
    const response = await answer(new Request("http://localhost/mcp", { method: "POST", headers, body }));
    const text = await response.text();
    if (!text.includes("Hello.")) throw new Error(`The call was not answered: ${text}`);
  }
});
