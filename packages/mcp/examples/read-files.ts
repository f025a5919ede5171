import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedModel } from "@troupe/core/testing";

const folder = mkdtempSync(join(tmpdir(), "mcp-"));
writeFileSync(join(folder, "notes.txt"), "Buy tea.");
const path = join(folder, "notes.txt");
const command = process.execPath;
const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
const args = [program, folder];
const model = new ScriptedModel(
  { toolCalls: [{ name: "files__read_text_file", arguments: { path } }] },
  "The note says: buy tea.",
);

// #region readme
import { Agent } from "@troupe/core";
import { McpToolServer } from "@troupe/mcp";

const files = new McpToolServer({ name: "files", transport: "stdio", command, args });
const agent = new Agent({ name: "reader", model, tools: [files] });
const { text } = await agent.run("What does my note say?");
await agent.close(); // ends the server's process
// #endregion

assert.equal(text, "The note says: buy tea.");
assert.match(JSON.stringify(model.calls[1]?.messages), /Buy tea\./);
