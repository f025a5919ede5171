import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// #region readme
import { Agent } from "@troupe/core";
import { ollama } from "@troupe/providers-ollama";
// #endregion

// Stands in for Ollama, so that this program runs without it.
const server = createServer((_, response) => {
  response.write(`${JSON.stringify({ message: { content: "Take an " } })}\n`);
  const counts = { prompt_eval_count: 10, eval_count: 5 };
  response.end(
    `${JSON.stringify({ message: { content: "umbrella." }, done: true, done_reason: "stop", ...counts })}\n`,
  );
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;
const baseURL = `http://127.0.0.1:${port}`;

// #region readme
const agent = new Agent({ name: "helper", model: ollama("qwen3:8b", { baseURL, contextLength: 16_384 }) });
const { text, usage } = await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
assert.equal(usage.totalTokens, 15);
server.closeAllConnections();
server.close();
