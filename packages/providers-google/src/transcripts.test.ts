import { transcriptNames } from "@troupe-internal/vendor-fakes";
import type { Delivery } from "@troupe-internal/vendor-fakes";
import type { ModelChunk } from "@troupe/core/adapter";
import { describe, expect, it } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

const thoughtful = {
  promptTokens: 20,
  completionTokens: 44,
  totalTokens: 64,
  cachedTokens: 16,
  reasoningTokens: 38,
  providerMetrics: expect.objectContaining({ thoughtsTokenCount: 38 }) as unknown,
};
const finish = (finishReason: string, usage: object = thoughtful) => ({ type: "finish", finishReason, usage });
const someId = expect.stringMatching(/^call_[0-9a-f]{32}$/) as unknown;
const call = (name: string, argumentsDelta: string, id: unknown = someId) => [
  { type: "tool_call_start", toolCall: { id, name } },
  { type: "tool_call_delta", toolCallId: id, argumentsDelta },
  { type: "tool_call_end", toolCallId: id },
];

const transcripts: Record<string, { chunks: object[]; error?: object }> = {
  "google-text.sse": {
    chunks: [{ type: "text", text: "Hello" }, { type: "text", text: " there" }, finish("stop")],
  },
  "google-thinking-tool.sse": {
    chunks: [
      { type: "thinking", text: "**Plan**\n\nNeed the weather." },
      ...call("get_weather", '{"city":"Paris"}', "fc-7a1"),
      finish("tool_calls"),
    ],
  },
  "google-parallel.sse": {
    chunks: [
      ...call("get_weather", '{"city":"Paris"}'),
      ...call("get_weather", '{"city":"Oslo"}'),
      ...call("now", "{}"),
      finish("tool_calls"),
    ],
  },
  "google-malformed.sse": { chunks: [finish("error")] },
  "google-safety.sse": { chunks: [{ type: "text", text: "Once" }, finish("content_filter")] },
  "google-promptblock.sse": {
    chunks: [
      finish("content_filter", {
        promptTokens: 20,
        completionTokens: 0,
        totalTokens: 20,
        providerMetrics: expect.anything() as unknown,
      }),
    ],
  },
  "google-error.sse": {
    chunks: [{ type: "text", text: "Hel" }],
    error: { name: "ModelError", code: "model_failed", status: 503, vendorCode: "UNAVAILABLE" },
  },
  "google-truncated.sse": {
    chunks: [{ type: "text", text: "Hel" }],
    error: { name: "ModelError", code: "model_failed", networkCode: "ECONNRESET" },
  },
  // The cloud platform's, when a gateway asks for arguments in pieces.
  "vertex-partial-args.sse": {
    chunks: [...call("get_weather", '{"city":"Paris"}'), finish("tool_calls")],
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

  const within = { afterBytes: 100 };
  it.each([
    ["cut", { fault: { kind: "cut", at: within } }, { code: "model_failed", networkCode: "ECONNRESET" }],
    ["reset", { fault: { kind: "reset", at: within } }, { code: "model_failed", networkCode: "ECONNRESET" }],
    ["silent", { fault: { kind: "hang", at: within } }, { code: "timeout", networkCode: "ETIMEDOUT" }],
    ["silent after its head", { fault: { kind: "hang", at: { afterBytes: 0 } } }, { code: "timeout" }],
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

it("names the answer in its finish chunk, and gives what the vendor wants back", async () => {
  const { vendor, connect } = await startVendor();
  vendor.plan({ transcript: "google-text.sse" });

  const { chunks } = await gather(connect().stream(ask));

  expect(chunks.at(-1)).toMatchObject({
    responseId: "r-01",
    model: "gemini-3.8-flash",
    vendorState: {
      providerId: "google",
      modelId: "gemini-3.8-flash",
      items: [{ text: "Hello there" }, { text: "", thoughtSignature: "EpAICo0I-OPAQUE==" }],
    },
  });
});

it("covers every recorded answer of Gemini's", () => {
  const recorded = transcriptNames().filter((name) => /^google|^vertex/.test(name));

  expect(Object.keys(transcripts).toSorted()).toEqual(recorded.toSorted());
});
