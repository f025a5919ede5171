import { badGateway } from "@troupe-internal/vendor-fakes";
import type { Delivery } from "@troupe-internal/vendor-fakes";
import type { ModelChunk } from "@troupe/core/adapter";
import { describe, expect, it } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

const usage = (completionTokens: number) => ({
  promptTokens: 125,
  completionTokens,
  totalTokens: 125 + completionTokens,
  cachedTokens: 100,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  providerMetrics: expect.objectContaining({ cache_read_input_tokens: 100 }) as unknown,
});
const finish = (finishReason: string, tokens: number) => ({ type: "finish", finishReason, usage: usage(tokens) });
const call = (id: string, name: string, ...pieces: string[]) => [
  { type: "tool_call_start", toolCall: { id, name } },
  ...pieces.map((argumentsDelta) => ({ type: "tool_call_delta", toolCallId: id, argumentsDelta })),
  { type: "tool_call_end", toolCallId: id },
];

const transcripts: Record<string, { chunks: object[]; error?: object }> = {
  "anthropic-text.sse": {
    chunks: [{ type: "text", text: "Hello" }, { type: "text", text: " there" }, finish("stop", 7)],
  },
  "anthropic-thinking-tool.sse": {
    chunks: [
      { type: "thinking", text: "Need the weather," },
      { type: "thinking", text: " so call the tool." },
      { type: "text", text: "Checking." },
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
  "anthropic-omitted-thinking.sse": { chunks: [{ type: "text", text: "Done." }, finish("stop", 9)] },
  "anthropic-refusal.sse": { chunks: [finish("content_filter", 5)] },
  "anthropic-error.sse": {
    chunks: [{ type: "text", text: "Hel" }],
    error: { name: "ModelError", code: "model_failed", status: 529, vendorCode: "overloaded_error" },
  },
  "anthropic-truncated.sse": {
    chunks: [{ type: "text", text: "Hel" }],
    error: { name: "ModelError", code: "model_failed", networkCode: "ECONNRESET" },
  },
};

/** The chunks as JSON, without what the last one says of the answer beside its end. */
function asJson(chunks: ModelChunk[]): unknown {
  const details = new Set(["responseId", "model", "vendorState"]);
  const shown = chunks.map((chunk) => Object.fromEntries(Object.entries(chunk).filter(([name]) => !details.has(name))));
  return JSON.parse(JSON.stringify(shown));
}

const deliveries: [string, Delivery][] = [
  ["as it was recorded", {}],
  ["one byte at a time", { pieceBytes: 1 }],
  ["in odd pieces", { pieceBytes: 7 }],
  ["slowly", { pieceBytes: 400, pieceDelayMs: 5 }],
];

describe.each(Object.entries(transcripts))("the recorded answer %s", (transcript, expected) => {
  it.each(deliveries)("is read %s", async (_, delivery) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ transcript, delivery });

    const { chunks, error } = await gather(connect().stream(ask));

    expect(asJson(chunks)).toEqual(expected.chunks);
    expect({ error }).toMatchObject({ error: expected.error });
    await expect.poll(() => vendor.exchanges[0]?.end).toMatch(expected.error ? /completed|abandoned/ : "completed");
  });

  const within = { afterBytes: 600 };
  it.each([
    ["cut", { fault: { kind: "cut", at: within } }, { code: "model_failed", networkCode: "ECONNRESET" }],
    ["reset", { fault: { kind: "reset", at: within } }, { code: "model_failed", networkCode: "ECONNRESET" }],
    ["silent", { fault: { kind: "hang", at: within } }, { code: "timeout", networkCode: "ETIMEDOUT" }],
    ["silent from the first", { fault: { kind: "hang", at: "before-headers" } }, { code: "timeout" }],
  ] as [string, Delivery, object][])("fails when its connection is %s", async (_, delivery, failure) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ transcript, delivery });

    // Short only where silence is the case: a busy machine is silent for longer.
    const idleTimeoutMs = delivery.fault?.kind === "hang" ? 100 : 60_000;
    const { chunks, error } = await gather(connect(undefined, { idleTimeoutMs }).stream(ask));

    expect(error).toMatchObject({ name: "ModelError", ...failure });
    expect(chunks.filter(({ type }) => type === "finish")).toEqual([]);
  });
});

it.each([
  [
    "429",
    { failure: { status: 429, retryAfterSeconds: 3 } },
    { code: "rate_limited", status: 429, retryAfterMs: 3000 },
  ],
  ["529", { failure: { status: 529 } }, { code: "model_failed", status: 529, vendorCode: "overloaded_error" }],
  ["an HTML page of 502", { raw: badGateway }, { code: "model_failed", status: 502, vendorCode: undefined }],
])("fails with %s, whole and streamed", async (_, planned, failure) => {
  const { vendor, connect } = await startVendor();
  vendor.plan(planned, planned);

  const { error } = await gather(connect().stream(ask));

  expect(error).toMatchObject({ name: "ModelError", providerId: "anthropic", ...failure });
  await expect(connect().generate(ask)).rejects.toMatchObject({ name: "ModelError", ...failure });
  vendor.assertDone();
});

it("names the answer in its finish chunk, and gives what the vendor wants back", async () => {
  const { vendor, connect } = await startVendor();
  vendor.plan({ transcript: "anthropic-omitted-thinking.sse" });

  const { chunks } = await gather(connect().stream(ask));

  expect(chunks.at(-1)).toMatchObject({
    responseId: "msg_01",
    model: "claude-opus-5-5",
    vendorState: {
      providerId: "anthropic",
      modelId: "claude-opus-5-5",
      items: [
        { type: "thinking", thinking: "", signature: "EqQBCg-OPAQUE==" },
        { type: "redacted_thinking", data: "EmwKAhgB-OPAQUE" },
        { type: "text", text: "Done." },
      ],
    },
  });
});

it("covers every recorded answer of Anthropic's", async () => {
  const { transcriptNames } = await import("@troupe-internal/vendor-fakes");

  expect(Object.keys(transcripts).toSorted()).toEqual(transcriptNames().filter((name) => name.startsWith("anthropic")));
});
