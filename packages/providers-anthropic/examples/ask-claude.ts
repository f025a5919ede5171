import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// #region readme
import { Agent } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
// #endregion

// Stands in for the vendor, so that this program runs without a key.
const server = createServer((_, response) => {
  const content = [{ type: "text", text: "Take an umbrella." }];
  const usage = { input_tokens: 10, output_tokens: 5 };
  response.end(JSON.stringify({ type: "message", content, stop_reason: "end_turn", usage }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;
const baseURL = `http://127.0.0.1:${port}`;
const apiKey = "sk-ant-example";

// #region readme
const agent = new Agent({ name: "helper", model: anthropic("claude-opus-5-5", { apiKey, baseURL }) });
const { text, usage } = await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
assert.equal(usage.totalTokens, 15);
server.closeAllConnections();
server.close();
