// Tool-server client (MCP): configuration for stdio and http, connect, getTools, refresh, close.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Agent } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createMcpServer, McpToolServer } from "@troupe/mcp";

// A program of this machine, with arguments and environment variables that carry its credentials.
const program = fileURLToPath(new URL("../../../packages/mcp/test/fixture-server.ts", import.meta.url));
const files = new McpToolServer({
  name: "files",
  transport: "stdio",
  command: process.execPath,
  args: ["--disable-warning=ExperimentalWarning", program],
  env: { ACCESS_TOKEN: "<ACCESS_TOKEN>" },
});
await files.connect();
const tools: ToolDef[] = await files.getTools();
assert.ok(tools.length > 0);
assert.ok(tools.every(({ name }) => name.startsWith("files")));
const echo = tools.find(({ name }) => name.endsWith("echo"));
assert.ok(echo !== undefined);
const model = new ScriptedModel({ toolCalls: [{ name: echo.name, arguments: { text: "hello" } }] }, "It said hello.");
const output = await new Agent({ name: "reader", model, tools }).run("What does it say?");
assert.equal(output.toolCalls[0]?.result, "hello");
assert.equal(output.text, "It said hello.");
// Discovers the tools again.
const again: ToolDef[] = await files.refresh();
assert.deepEqual(
  again.map(({ name }) => name),
  tools.map(({ name }) => name),
);
await files.close();

// A server at a URL, with custom headers. Two servers may have tools of one name: theirs stands before.
const guide = new Agent({ name: "guide", model: new ScriptedModel("Paris.") });
const served = createMcpServer({ agents: { guide } });
const seen: unknown[] = [];
const web = createServer((request, response) => {
  seen.push(request.headers.authorization);
  served.handler(request, response);
}).listen(0, "127.0.0.1");
await once(web, "listening");
const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
const headers = { authorization: "Bearer <ACCESS_TOKEN>" };
const [one, two] = ["one", "two"].map((name) => new McpToolServer({ name, transport: "http", url, headers }));
assert.ok(one !== undefined && two !== undefined);
await Promise.all([one.connect(), two.connect()]);
const [first] = await one.getTools();
const [second] = await two.getTools();
assert.ok(first !== undefined && second !== undefined);
assert.notEqual(first.name, second.name);
assert.deepEqual(new Set(seen), new Set(["Bearer <ACCESS_TOKEN>"]));
const asking = new ScriptedModel({ toolCalls: [{ name: first.name, arguments: { message: "Capital?" } }] }, "Paris.");
const asked = await new Agent({ name: "asker", model: asking, tools: [first, second] }).run("Which is the capital?");
assert.match(JSON.stringify(asked.toolCalls[0]?.result), /Paris/);
await Promise.all([one.close(), two.close()]);
await served.close();
web.close();
