import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { McpToolServer } from "@troupe/mcp";

const model = new ScriptedModel("Berlin.");
const guide = new Agent({ name: "guide", description: "Knows the capitals of all countries.", model });
const visits = new Map<string | undefined, string[]>();

// #region readme
import { createMcpServer } from "@troupe/mcp";

const server = createMcpServer({
  agents: { guide },
  extend: (mcp, { library, userId }) => {
    const inputSchema = library.fromJsonSchema<{ city: string }>({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    });
    mcp.registerTool("visit", { description: "Notes a visit.", inputSchema }, ({ city }) => {
      visits.set(userId, [...(visits.get(userId) ?? []), city]);
      server.notify.resourceUpdated("visits://all");
      return { content: [{ type: "text", text: `Noted: ${city}.` }] };
    });
    mcp.registerResource("visits", "visits://all", { mimeType: "text/plain" }, ({ href: uri }) => ({
      contents: [{ uri, text: (visits.get(userId) ?? []).join("\n") }],
    }));
  },
});
// #endregion

const listener = createServer((request, response) => server.handler(request, response)).listen(0, "127.0.0.1");
await once(listener, "listening");
const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
const travel = new McpToolServer({ name: "travel", transport: "http", url });
const caller = new Agent({
  name: "caller",
  tools: [travel],
  model: new ScriptedModel({ toolCalls: [{ name: "travel__visit", arguments: { city: "Oslo" } }] }, "It is noted."),
});
await caller.run("Note that I was in Oslo.");
assert.deepEqual(await travel.readResource("visits://all"), [{ type: "text", text: "Oslo" }]);

await caller.close();
await server.close();
listener.close();
