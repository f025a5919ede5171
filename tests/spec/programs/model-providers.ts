// ModelProvider, the five factories, ModelConfig and ReasoningConfig.
import assert from "node:assert/strict";
import { Agent, getTextContent } from "@troupe/core";
import type { ChatMessage, ModelConfig, ModelProvider, ReasoningConfig, StreamChunk } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";
import { FakeVendor } from "@troupe-internal/vendor-fakes";

const vendor = await FakeVendor.start();
const providers: ModelProvider[] = [
  openai("gpt-6.1-sol", { apiKey: "sk-1", baseURL: `${vendor.url}/v1` }),
  anthropic("claude-sonnet-5", { apiKey: "sk-2" }),
  google("gemini-3-flash", { apiKey: "sk-3" }),
  vertex("gemini-3-flash", { project: "weather", location: "europe-west1" }),
  ollama("qwen3", { baseURL: vendor.url }),
];
assert.deepEqual(
  providers.map(({ providerId }) => providerId),
  ["openai", "anthropic", "google", "vertex", "ollama"],
);
assert.deepEqual(
  providers.map(({ modelId }) => modelId),
  ["gpt-6.1-sol", "claude-sonnet-5", "gemini-3-flash", "gemini-3-flash", "qwen3"],
);
// Nothing is needed but the model's id: keys come from the environment, or with a request.
for (const make of [openai, anthropic, google, vertex, ollama]) assert.ok(make("some-model"));

const reasoning: ReasoningConfig = { enabled: true, effort: "high", budgetTokens: 2048 };
const config: ModelConfig = {
  temperature: 0.3,
  maxTokens: 200,
  topP: 0.9,
  stop: ["END"],
  responseFormat: "text",
  apiKey: "sk-of-this-call",
  reasoning,
};
const formats: ModelConfig["responseFormat"][] = [
  "text",
  "json",
  { type: "json_schema", schema: { type: "object", properties: { city: { type: "string" } } }, name: "city" },
];
assert.equal(formats.length, 3);

const messages: ChatMessage[] = [{ role: "user", content: "Oslo?" }];
for (const provider of providers.filter(({ providerId }) => ["openai", "ollama"].includes(providerId))) {
  vendor.plan({ answer: "Rain." }, { answer: "Still rain." });
  const response = await provider.generate(messages, config);
  assert.equal(response.text, "Rain.");
  const chunks: StreamChunk[] = [];
  for await (const chunk of provider.stream(messages, config)) chunks.push(chunk);
  assert.equal(chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join(""), "Still rain.");
  assert.equal(chunks.at(-1)?.type, "finish");
  assert.equal(vendor.exchanges.at(-1)?.request.headers["authorization"], "Bearer sk-of-this-call");
}

// A model of one's own.
const echo: ModelProvider = {
  providerId: "echo",
  modelId: "echo-1",
  async generate(asked) {
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    return { text: getTextContent(asked.at(-1)?.content ?? null), toolCalls: [], usage, finishReason: "stop" };
  },
  async *stream(asked) {
    yield { type: "text", text: getTextContent(asked.at(-1)?.content ?? null) };
    yield { type: "finish", finishReason: "stop" };
  },
};
assert.equal((await new Agent({ name: "parrot", model: echo }).run("Hello")).text, "Hello");

await vendor.close();
