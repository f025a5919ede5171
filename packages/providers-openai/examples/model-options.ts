import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// #region readme
import { Agent } from "@troupe/core";
import { openai } from "@troupe/providers-openai";

const model = openai("gpt-6.1-sol");
// #endregion

// Stands in for a vendor, so that this program runs without one, and keeps the request that it got.
let body = "";
const server = createServer((request, response) => {
  const message = { role: "assistant", content: "Take an umbrella." };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
  request.on("end", () => response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], usage })));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;
const local = openai("gpt-6.1-sol", { apiKey: "sk-example", baseURL: `http://127.0.0.1:${port}/v1` });
model.generate = (...call) => local.generate(...call);

// #region readme
const agent = new Agent({
  name: "helper",
  model,
  modelOptions: {
    maxTokens: 2000,
    reasoning: { enabled: true, effort: "low" },
    vendor: { openai: { service_tier: "flex" } },
  },
});
const { text } = await agent.run("What should I take along to Oslo?", { modelOptions: { maxTokens: 300 } });
// #endregion

assert.equal(text, "Take an umbrella.");
const sent = JSON.parse(body) as Record<string, unknown>;
assert.deepEqual([sent["max_completion_tokens"], sent["reasoning_effort"], sent["service_tier"]], [300, "low", "flex"]);
server.closeAllConnections();
server.close();
