import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// #region readme
import { Agent } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
// #endregion

// Stands in for a vendor or a server such as vLLM, so that this program runs without one.
const server = createServer((_, response) => {
  const message = { role: "assistant", content: "Take an umbrella." };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], usage }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;
const baseURL = `http://127.0.0.1:${port}/v1`;
const apiKey = "sk-example";

// #region readme
const agent = new Agent({ name: "helper", model: openai("gpt-6.1-sol", { apiKey, baseURL }) });
const { text, usage } = await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
assert.equal(usage.totalTokens, 15);
server.closeAllConnections();
server.close();
