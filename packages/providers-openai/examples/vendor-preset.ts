import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// #region readme
import { Agent } from "@troupe/core";
import { groq } from "@troupe/providers-openai/presets";
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
const apiKey = "gsk-example";
const baseURL = `http://127.0.0.1:${port}/openai/v1`;

// #region readme
const agent = new Agent({ name: "helper", model: groq("openai/gpt-oss-120b", { apiKey, baseURL }) });
const { text } = await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
assert.equal((JSON.parse(body) as Record<string, unknown>)["model"], "openai/gpt-oss-120b");
server.closeAllConnections();
server.close();
