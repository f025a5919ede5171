import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent, InMemoryStorage } from "@troupe/core";
import type { ModelProvider, TokenUsage } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "./vendors.ts";

/** Starts a vendor that answers with a body. */
async function vendorOf(body: string): Promise<FakeVendor> {
  const vendor = await FakeVendor.start({ strict: false });
  onTestFinished(() => vendor.close());
  vendor.plan({ raw: { status: 200, headers: { "content-type": "application/json" }, frames: [`${body}\n`] } });
  return vendor;
}

type Wire = { model: (url: string) => ModelProvider; body: object; metrics: object; usage: TokenUsage };

const counts = { promptTokens: 100, completionTokens: 50, totalTokens: 150 };
const chatUsage = {
  prompt_tokens: 100,
  completion_tokens: 50,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 80, audio_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 30, audio_tokens: 2 },
  cost: 0.01,
};
const responsesUsage = {
  input_tokens: 100,
  output_tokens: 50,
  total_tokens: 150,
  input_tokens_details: { cached_tokens: 80 },
  output_tokens_details: { reasoning_tokens: 30 },
  new_field: { any: 1 },
};
const anthropicUsage = {
  input_tokens: 15,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 80,
  output_tokens: 50,
  output_tokens_details: { thinking_tokens: 30 },
  service_tier: "standard",
};
const geminiUsage = {
  promptTokenCount: 100,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 30,
  cachedContentTokenCount: 80,
  totalTokenCount: 150,
  promptTokensDetails: [{ modality: "AUDIO", tokenCount: 3 }],
  candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 2 }],
  trafficType: "ON_DEMAND",
};
const ollamaCounts = { total_duration: 9, prompt_eval_count: 100, eval_count: 50 };
const candidates = [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }];

const wires: Record<string, Wire> = {
  "Chat Completions": {
    model: (url) => openai("gpt-4.1", { baseURL: `${url}/v1`, api: "chat" }),
    body: { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }], usage: chatUsage },
    metrics: chatUsage,
    usage: { ...counts, cachedTokens: 80, reasoningTokens: 30, audioInputTokens: 3, audioOutputTokens: 2 },
  },
  Responses: {
    model: connect.openai,
    body: { status: "completed", output: [], usage: responsesUsage },
    metrics: responsesUsage,
    usage: { ...counts, cachedTokens: 80, reasoningTokens: 30 },
  },
  Anthropic: {
    model: connect.anthropic,
    body: { type: "message", content: [], stop_reason: "end_turn", usage: anthropicUsage },
    metrics: anthropicUsage,
    usage: { ...counts, cachedTokens: 80, cacheWriteTokens: 5, reasoningTokens: 30 },
  },
  Google: {
    model: connect.google,
    body: { candidates, usageMetadata: geminiUsage },
    metrics: geminiUsage,
    usage: { ...counts, cachedTokens: 80, reasoningTokens: 30, audioInputTokens: 3, audioOutputTokens: 2 },
  },
  Vertex: {
    model: connect.vertex,
    body: { candidates, usageMetadata: geminiUsage },
    metrics: geminiUsage,
    usage: { ...counts, cachedTokens: 80, reasoningTokens: 30, audioInputTokens: 3, audioOutputTokens: 2 },
  },
  Ollama: {
    model: connect.ollama,
    body: { message: { content: "Hi" }, done: true, done_reason: "stop", ...ollamaCounts },
    metrics: ollamaCounts,
    usage: counts,
  },
};

it.each(Object.entries(wires))(
  "usage of %s has the vendor's counts, and the vendor's own object unmodified [usage.totals] [usage.optional] [usage.provider-metrics]",
  async (_name, { model, body, metrics, usage }) => {
    const vendor = await vendorOf(JSON.stringify(body));

    const response = await model(vendor.url).generate([{ role: "user", content: "Hello" }], {
      apiKey: "key-1",
      maxTokens: 9,
    });

    expect(response.usage).toEqual({ ...usage, providerMetrics: metrics });
  },
);

it.each(
  Object.entries(wires).flatMap(([name, wire]) =>
    [
      ["1e308", `100`, `1e308`],
      ["1e999", `100`, `1e999`],
      ["5,000 levels", `100`, `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`],
    ].map(([what = "", count = "", odd = ""]) => ({ name, what, count, odd, wire })),
  ),
)(
  "usage of $name with $what loses no turn and is warned of [usage.unsound]",
  async ({ wire: { model, body }, count, odd }) => {
    const vendor = await vendorOf(
      JSON.stringify(body).replace(`:${count},`, `:${odd},`).replace('"input_tokens":15', `"input_tokens":${odd}`),
    );
    const agent = new Agent({ name: "a", model: model(vendor.url), storage: new InMemoryStorage() });
    const warnings: string[] = [];
    agent.eventBus.on("run.warning", ({ code }) => void warnings.push(code));

    const { status, usage } = await agent.run("Hello", { sessionId: "s", apiKey: "key-1" });

    expect([status, warnings]).toEqual(["completed", ["usage_unsound"]]);
    expect(JSON.parse(JSON.stringify(usage))).toEqual(usage);
    expect((await agent.sessions.readTurns("s")).turns).toMatchObject([{ status: "completed", usage }]);
  },
);
