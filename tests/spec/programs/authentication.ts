// Per-request vendor keys: vendor headers, the generic header, the body, several vendors in one request.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, Team } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import express from "express";

/** A model of a vendor that notes the key of each call. */
function noting(providerId: string, keys: (string | undefined)[]): ModelProvider {
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
  return {
    providerId,
    modelId: "any",
    async generate(_messages, options) {
      keys.push(options?.apiKey);
      return { text: "Hi.", toolCalls: [], usage, finishReason: "stop" };
    },
    async *stream(_messages, options) {
      keys.push(options?.apiKey);
      yield { type: "text", text: "Hi." };
      yield { type: "finish", finishReason: "stop", usage };
    },
  };
}

const keys: Record<"openai" | "anthropic" | "google" | "vertex", (string | undefined)[]> = {
  openai: [],
  anthropic: [],
  google: [],
  vertex: [],
};
const agents = Object.fromEntries(
  Object.entries(keys).map(([vendor, list]) => [vendor, new Agent({ name: vendor, model: noting(vendor, list) })]),
);
const crew = new Team({
  name: "crew",
  mode: "broadcast",
  model: noting("openai", keys.openai),
  members: [new Agent({ name: "claude", model: noting("anthropic", keys.anthropic) })],
});
const server = express()
  .use(createAgentRouter({ agents, teams: { crew } }))
  .listen(0);
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function ask(path: string, headers: Record<string, string>, apiKey?: string): Promise<void> {
  const response = await fetch(`${base}/${path}/run`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ input: "Hello", ...(apiKey !== undefined && { apiKey }) }),
  });
  assert.equal(response.status, 200, path);
}

// The vendor's own header comes before the generic one, and that before the body.
await ask("agents/openai", { "x-openai-api-key": "sk-openai", "x-api-key": "sk-generic" }, "sk-body");
await ask("agents/openai", { "x-api-key": "sk-generic" }, "sk-body");
await ask("agents/openai", {}, "sk-body");
await ask("agents/openai", { "x-anthropic-api-key": "sk-anthropic" });
assert.deepEqual(keys.openai, ["sk-openai", "sk-generic", "sk-body", undefined]);

await ask("agents/anthropic", { "x-anthropic-api-key": "sk-anthropic" });
assert.deepEqual(keys.anthropic, ["sk-anthropic"]);

// The key of provider C serves its cloud variant too.
await ask("agents/google", { "x-google-api-key": "sk-google" });
await ask("agents/vertex", { "x-google-api-key": "sk-google" });
assert.deepEqual([keys.google, keys.vertex], [["sk-google"], ["sk-google"]]);

// One request carries keys of several vendors, and each gets its own.
keys.openai.length = 0;
keys.anthropic.length = 0;
await ask("teams/crew", { "x-openai-api-key": "sk-o", "x-anthropic-api-key": "sk-a" });
assert.deepEqual([...new Set(keys.openai)], ["sk-o"]);
assert.deepEqual([...new Set(keys.anthropic)], ["sk-a"]);

server.closeAllConnections();
server.close();
