import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createShutdown } from "@troupe/http";
import { createMcpServer, McpToolServer } from "@troupe/mcp";
import { expect, it, onTestFinished } from "vitest";

it("ends an MCP server with the shutdown of its HTTP service: the call that runs is answered, sessions end [mcp-server.shutdown]", async () => {
  const shutdown = createShutdown({ drainMs: 50 });
  const model = new ScriptedModel({ text: ["One ", "two."], chunkDelayMs: 200 });
  const helper = new Agent({ name: "helper", model });
  const server = createMcpServer({ agents: { helper }, extend: () => {}, shutdown });
  const http = createServer((request, response) => server.handler(request, response)).listen(0, "127.0.0.1");
  shutdown.attach(http);
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const team = new McpToolServer({ name: "team", transport: "http", url, protocol: "legacy" });
  onTestFinished(async () => await team.close());
  const asker = new Agent({
    name: "asker",
    tools: [team],
    model: new ScriptedModel({ toolCalls: [{ name: "team__ask_helper", arguments: { message: "Hi" } }] }, "Done."),
  });
  const asked = asker.run("Ask.");
  await expect.poll(() => model.calls.length).toBe(1);
  await shutdown.begin();

  expect((await asked).toolCalls).toMatchObject([{ result: "One two." }]);
  expect(http.listening).toBe(false);
});
