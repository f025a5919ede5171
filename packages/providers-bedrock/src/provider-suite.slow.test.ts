import { bedrockDialect, bedrockEvent, bedrockException, providerSuite } from "@troupe-internal/vendor-fakes";
import type { PlannedReply, ProviderSubject } from "@troupe-internal/vendor-fakes";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { bedrock } from "./index.ts";

const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const delta = (contentBlockIndex: number, fields: object) =>
  bedrockEvent("contentBlockDelta", { contentBlockIndex, delta: fields });
const stop = (contentBlockIndex: number) => bedrockEvent("contentBlockStop", { contentBlockIndex });
const start = bedrockEvent("messageStart", { role: "assistant", p: "abc" });
const counts = { inputTokens: 25, outputTokens: 40, totalTokens: 165, cacheReadInputTokens: 100 };
const end = (stopReason: string) => [
  bedrockEvent("messageStop", { stopReason }),
  bedrockEvent("metadata", { usage: { ...counts, cacheWriteInputTokens: 0 }, metrics: { latencyMs: 9 } }),
];
const finish = (finishReason: string) => ({
  type: "finish",
  finishReason,
  usage: { promptTokens: 125, completionTokens: 40, totalTokens: 165, cachedTokens: 100, cacheWriteTokens: 0 },
});
const streamOf = (...frames: Uint8Array[]) => Buffer.concat(frames);
const replyOf = (...frames: Uint8Array[]): PlannedReply => ({
  raw: { status: 200, headers: { "content-type": "application/vnd.amazon.eventstream" }, frames },
});

const subject: ProviderSubject = {
  connect: (baseURL, { modelId = claude, ...options }) =>
    bedrock(modelId, { baseURL, region: "us-east-1", useEnvironmentKey: true, ...options }),
  dialect: bedrockDialect,
  models: [claude, "us.amazon.nova-2-lite-v1:0"],
  consistentThinkers: [claude],
  keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
  untaken: { seed: 7 },
  secrets: /signature|redactedContent/,
  agentRequests: { withoutTools: /^(?!.*"toolConfig")/, repaired: /JSON schema|json_schema/ },
  truncated: replyOf(start, delta(0, { text: "Hel" })),
  vendorCodes: { 429: "ThrottlingException", 500: "InternalServerException", 503: "ServiceUnavailableException" },
  transcripts: {
    "text in two pieces": {
      recorded: streamOf(start, delta(0, { text: "Grüß" }), delta(0, { text: " dich" }), stop(0), ...end("end_turn")),
      chunks: [{ type: "text", text: "Grüß" }, { type: "text", text: " dich" }, finish("stop")],
    },
    "thinking before a tool": {
      recorded: streamOf(
        start,
        delta(0, { reasoningContent: { text: "Need the " } }),
        delta(0, { reasoningContent: { text: "weather." } }),
        delta(0, { reasoningContent: { signature: "EqQB-OPAQUE==" } }),
        stop(0),
        bedrockEvent("contentBlockStart", {
          contentBlockIndex: 1,
          start: { toolUse: { toolUseId: "tooluse_1", name: "get_weather" } },
        }),
        delta(1, { toolUse: { input: '{"ci' } }),
        delta(1, { toolUse: { input: 'ty":"Paris"}' } }),
        stop(1),
        ...end("tool_use"),
      ),
      chunks: [
        { type: "thinking", text: "Need the " },
        { type: "thinking", text: "weather." },
        { type: "tool_call_start", toolCall: { id: "tooluse_1", name: "get_weather" } },
        { type: "tool_call_delta", toolCallId: "tooluse_1", argumentsDelta: '{"ci' },
        { type: "tool_call_delta", toolCallId: "tooluse_1", argumentsDelta: 'ty":"Paris"}' },
        { type: "tool_call_end", toolCallId: "tooluse_1" },
        finish("tool_calls"),
      ],
      details: {
        vendorState: {
          providerId: "bedrock",
          modelId: claude,
          items: [
            { reasoningContent: { reasoningText: { text: "Need the weather.", signature: "EqQB-OPAQUE==" } } },
            { toolUse: { toolUseId: "tooluse_1", name: "get_weather", input: { city: "Paris" } } },
          ],
        },
      },
    },
    "an answer that a guardrail stopped": {
      recorded: streamOf(start, delta(0, { text: "I cannot say." }), stop(0), ...end("guardrail_intervened")),
      chunks: [{ type: "text", text: "I cannot say." }, finish("content_filter")],
    },
    "a throttled answer": {
      recorded: streamOf(
        start,
        delta(0, { text: "Hel" }),
        bedrockException("throttlingException", { message: "Too many tokens." }),
      ),
      chunks: [{ type: "text", text: "Hel" }],
      error: { name: "ModelError", code: "rate_limited", status: 429, vendorCode: "ThrottlingException" },
    },
    "a stream that failed": {
      recorded: streamOf(
        start,
        delta(0, { text: "Hel" }),
        bedrockException("modelStreamErrorException", { message: "Try again.", originalStatusCode: 424 }),
      ),
      chunks: [{ type: "text", text: "Hel" }],
      error: { name: "ModelError", code: "model_failed", vendorCode: "ModelStreamErrorException" },
    },
    "a stream without its end": {
      recorded: streamOf(start, delta(0, { text: "Hel" })),
      chunks: [{ type: "text", text: "Hel" }],
      error: { name: "ModelError", code: "model_failed", networkCode: "ECONNRESET" },
    },
  },
  failures: {
    "a model that takes too long": {
      reply: { failure: { status: 408 } },
      error: { code: "timeout", status: 408, vendorCode: "ModelTimeoutException" },
    },
    "a model without access": {
      reply: { failure: { status: 403 } },
      error: { code: "model_failed", status: 403, vendorCode: "AccessDeniedException" },
    },
    "a request that is too long": {
      reply: { failure: { status: 400, message: "Input is too long for requested model." } },
      error: { code: "context_too_long", status: 400 },
    },
  },
  knownGaps: {
    "reports usage with its parts": "the vendor does not count the tokens of reasoning",
  },
};

// The credential chain of AWS would look for credentials at the addresses of Amazon's machines.
beforeAll(() => {
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  for (const name of ["CONFIG_FILE", "SHARED_CREDENTIALS_FILE"]) vi.stubEnv(`AWS_${name}`, "/nowhere");
  for (const name of ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "PROFILE"]) vi.stubEnv(`AWS_${name}`, "");
});
afterAll(() => void vi.unstubAllEnvs());

describe("a model of Bedrock", () => {
  providerSuite(it, subject);
});
