import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// #region readme
import { createMistral } from "@ai-sdk/mistral";
import { Agent } from "@troupe/core";
import { fromAiSdk } from "@troupe/providers-ai-sdk";
// #endregion

// Stands in for the vendor, so that this program runs without a key.
const server = createServer((_, response) => {
  const message = { role: "assistant", content: "Take an umbrella." };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({ object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage }),
  );
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;
const baseURL = `http://127.0.0.1:${port}`;
const apiKey = "example";

// #region readme
const mistral = createMistral({ apiKey, baseURL });
const agent = new Agent({ name: "helper", model: fromAiSdk(mistral("mistral-large-latest")) });
const { text, usage } = await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
assert.equal(usage.totalTokens, 15);
server.closeAllConnections();
server.close();
