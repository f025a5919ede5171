import assert from "node:assert/strict";
import { Agent } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { McpToolServer } from "@troupe/mcp";

const model = new ScriptedModel("Berlin.");
const guide = new Agent({ name: "guide", description: "Knows the capitals of all countries.", model });
const visits = new Map<string | undefined, string[]>();

// #region readme
import { mcp } from "@troupe/mcp";

const protocol = mcp({
  extend: (server, { library, userId }) => {
    const inputSchema = library.fromJsonSchema<{ city: string }>({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    });
    server.registerTool("visit", { description: "Notes a visit.", inputSchema }, ({ city }) => {
      visits.set(userId, [...(visits.get(userId) ?? []), city]);
      protocol.notify.resourceUpdated("visits://all");
      return { content: [{ type: "text", text: `Noted: ${city}.` }] };
    });
    server.registerResource("visits", "visits://all", { mimeType: "text/plain" }, ({ href: uri }) => ({
      contents: [{ uri, text: (visits.get(userId) ?? []).join("\n") }],
    }));
  },
});
// #endregion

const service = createService({ agents: { guide } });
const { url: base } = await serve(service, [protocol], { port: 0, host: "127.0.0.1" });
const url = `${base}/mcp`;
const travel = new McpToolServer({ name: "travel", transport: "http", url });
const caller = new Agent({
  name: "caller",
  tools: [travel],
  model: new ScriptedModel({ toolCalls: [{ name: "travel__visit", arguments: { city: "Oslo" } }] }, "It is noted."),
});
await caller.run("Note that I was in Oslo.");
assert.deepEqual(await travel.readResource("visits://all"), [{ type: "text", text: "Oslo" }]);

await caller.close();
await service.close();
