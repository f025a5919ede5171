import { Agent } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { mcp, McpToolServer } from "@troupe/mcp";
import { expect, it, onTestFinished } from "vitest";

it("a shutdown ends MCP with its service: the call that runs is answered, sessions end [mcp-server.shutdown]", async () => {
  const model = new ScriptedModel({ text: ["One ", "two."], chunkDelayMs: 200 });
  const helper = new Agent({ name: "helper", model });
  const service = createService({ agents: { helper } });
  const { server, url } = await serve(service, [mcp({ extend: () => {} })], { port: 0, host: "127.0.0.1" });
  const team = new McpToolServer({ name: "team", transport: "http", url: `${url}/mcp`, protocol: "legacy" });
  onTestFinished(async () => await team.close());
  const asker = new Agent({
    name: "asker",
    tools: [team],
    model: new ScriptedModel({ toolCalls: [{ name: "team__ask_helper", arguments: { message: "Hi" } }] }, "Done."),
  });
  const asked = asker.run("Ask.");
  await expect.poll(() => model.calls.length).toBe(1);
  await service.close({ drainMs: 50 });

  expect((await asked).toolCalls).toMatchObject([{ result: "One two." }]);
  expect(server.listening).toBe(false);
});
