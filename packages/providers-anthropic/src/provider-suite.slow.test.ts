import Anthropic from "@anthropic-ai/sdk";
import { providerSuite, throughClients } from "@troupe-internal/vendor-fakes";
import type { ClientSettings, ProviderSubject } from "@troupe-internal/vendor-fakes";
import { describe, expect, it, vi } from "vitest";
import { startVendor } from "../test/vendor.ts";
import { anthropic } from "./index.ts";

const counted = (completionTokens: number) => ({
  promptTokens: 125,
  completionTokens,
  totalTokens: 125 + completionTokens,
  cachedTokens: 100,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
});
const finish = (finishReason: string, tokens: number) => ({ type: "finish", finishReason, usage: counted(tokens) });
const text = (...pieces: string[]) => pieces.map((piece) => ({ type: "text", text: piece }));
const call = (id: string, name: string, ...pieces: string[]) => [
  { type: "tool_call_start", toolCall: { id, name } },
  ...pieces.map((argumentsDelta) => ({ type: "tool_call_delta", toolCallId: id, argumentsDelta })),
  { type: "tool_call_end", toolCallId: id },
];

const subject: ProviderSubject = {
  connect: (baseURL, { modelId = "claude-opus-5-5", ...options }) =>
    anthropic(modelId, { baseURL, useEnvironmentKey: true, ...options }),
  models: ["claude-opus-5-5", "claude-haiku-4-5"],
  consistentThinkers: ["claude-opus-5-5"],
  keyVariables: ["ANTHROPIC_API_KEY"],
  untaken: { temperature: 1 },
  secrets: /signature|redacted/,
  agentRequests: { withoutTools: /"tool_choice":\{"type":"none"\}/, repaired: /"output_config":\{.*"json_schema"/ },
  truncated: { transcript: "anthropic-truncated.sse" },
  vendorCodes: { 429: "rate_limit_error", 529: "overloaded_error" },
  transcriptPattern: /^anthropic/,
  transcripts: {
    "anthropic-text.sse": { chunks: [...text("Hello", " there"), finish("stop", 7)] },
    "anthropic-thinking-tool.sse": {
      chunks: [
        { type: "thinking", text: "Need the weather," },
        { type: "thinking", text: " so call the tool." },
        ...text("Checking."),
        ...call("toolu_01A", "get_weather", '{"ci', 'ty":"Pa', 'ris"}'),
        finish("tool_calls", 60),
      ],
    },
    "anthropic-parallel.sse": {
      chunks: [
        ...call("toolu_01A", "get_weather", '{"city":"Paris"}'),
        ...call("toolu_01B", "get_time", "{}"),
        finish("tool_calls", 60),
      ],
    },
    "anthropic-omitted-thinking.sse": {
      chunks: [...text("Done."), finish("stop", 9)],
      details: {
        responseId: "msg_01",
        model: "claude-opus-5-5",
        usage: { providerMetrics: { cache_read_input_tokens: 100 } },
        vendorState: {
          providerId: "anthropic",
          modelId: "claude-opus-5-5",
          items: [
            { type: "thinking", thinking: "", signature: "EqQBCg-OPAQUE==" },
            { type: "redacted_thinking", data: "EmwKAhgB-OPAQUE" },
            { type: "text", text: "Done." },
          ],
        },
      },
    },
    "anthropic-refusal.sse": { chunks: [finish("content_filter", 5)] },
    "anthropic-error.sse": {
      chunks: text("Hel"),
      error: { name: "ModelError", code: "model_failed", status: 529, vendorCode: "overloaded_error" },
    },
    "anthropic-truncated.sse": {
      chunks: text("Hel"),
      error: { name: "ModelError", code: "model_failed", networkCode: "ECONNRESET" },
    },
  },
};

describe("anthropic", () => {
  providerSuite(it, subject);
});

const clientOf = ({ url, ...given }: ClientSettings) => new Anthropic({ baseURL: url, ...given });

describe("anthropic, through the caller's client", () => {
  providerSuite(
    it,
    throughClients(subject, {
      model: (client, { modelId, ...options }) => anthropic(modelId, { client: clientOf(client), ...options }),
      knownGaps: {
        "ends a whole answer that goes silent, and its socket":
          "the library tells nothing of a whole answer before all of it has come",
        "reads nothing else from the environment": "the library reads ANTHROPIC_CUSTOM_HEADERS and more",
        "is unauthorized without any key, before any request": "the library looks for ANTHROPIC_AUTH_TOKEN too",
      },
    }),
  );
});

it("the provider writes nothing to the console of models that are to be retired", async () => {
  const { vendor, connect } = await startVendor();
  vendor.say("a", "b");
  const messages = [{ role: "user" as const, content: "Hello?" }];
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  await connect("claude-sonnet-4-5").generate(messages);
  await connect("claude-opus-4-6").generate(messages, { reasoning: { enabled: true } });

  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
