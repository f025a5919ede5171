import { badGateway, transcriptNames } from "@troupe-internal/vendor-fakes";
import type { Delivery } from "@troupe-internal/vendor-fakes";
import type { ModelChunk } from "@troupe/core/adapter";
import { describe, expect, it } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

const finish = (finishReason: string) => ({
  type: "finish",
  finishReason,
  usage: {
    promptTokens: 26,
    completionTokens: 40,
    totalTokens: 66,
    providerMetrics: {
      total_duration: 1_200_000_000,
      load_duration: 90_000_000,
      prompt_eval_count: 26,
      prompt_eval_duration: 130_000_000,
      eval_count: 40,
      eval_duration: 900_000_000,
    },
  },
});
const call = (id: string, name: string, argumentsDelta: string) => [
  { type: "tool_call_start", toolCall: { id, name } },
  { type: "tool_call_delta", toolCallId: id, argumentsDelta },
  { type: "tool_call_end", toolCallId: id },
];

const transcripts: Record<string, { chunks: object[]; error?: object }> = {
  "ollama-text.ndjson": {
    chunks: [{ type: "text", text: "Hello" }, { type: "text", text: " there" }, finish("stop")],
  },
  "ollama-thinking-tool.ndjson": {
    chunks: [
      { type: "thinking", text: "Need the " },
      { type: "thinking", text: "weather." },
      ...call("call_x1", "get_weather", '{"city":"Paris"}'),
      // The server gave it none.
      ...call("an id of our own", "get_weather", '{"city":"Oslo"}'),
      finish("tool_calls"),
    ],
  },
  "ollama-error.ndjson": {
    chunks: [{ type: "text", text: "Hel" }],
    error: { name: "ModelError", code: "model_failed", status: 500, message: "ollama could not answer (status 500)." },
  },
  "ollama-truncated.ndjson": {
    chunks: [{ type: "text", text: "Hel" }],
    error: { name: "ModelError", code: "model_failed", networkCode: "ECONNRESET" },
  },
};

/** The chunks as JSON, ids of our own by that name, without what the last one says of the answer beside its end. */
function asJson(chunks: ModelChunk[]): unknown {
  const details = new Set(["responseId", "model", "vendorState"]);
  const shown = chunks.map((chunk) => Object.fromEntries(Object.entries(chunk).filter(([name]) => !details.has(name))));
  return JSON.parse(JSON.stringify(shown).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "an id of our own"));
}

const deliveries: [string, Delivery][] = [
  ["as it was recorded", {}],
  ["one byte at a time", { pieceBytes: 1 }],
  ["in odd pieces", { pieceBytes: 7 }],
  ["slowly", { pieceBytes: 100, pieceDelayMs: 5 }],
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
    ["silent from the first", { fault: { kind: "hang", at: "before-headers" } }, { code: "timeout" }],
  ] as [string, Delivery, object][])("fails when its connection is %s", async (_, delivery, failure) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ transcript, delivery });

    // Short only where silence is the case: a busy machine is silent for longer.
    const waitMs = delivery.fault?.kind === "hang" ? 100 : 60_000;
    const { chunks, error } = await gather(
      connect(undefined, { idleTimeoutMs: waitMs, timeoutMs: waitMs }).stream(ask),
    );

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
  ["503", { failure: { status: 503 } }, { code: "model_failed", status: 503 }],
  ["an HTML page of 502", { raw: badGateway }, { code: "model_failed", status: 502 }],
])("fails with %s, whole and streamed", async (_, planned, failure) => {
  const { vendor, connect } = await startVendor();
  vendor.plan(planned, planned);

  const { error } = await gather(connect().stream(ask));

  expect(error).toMatchObject({ name: "ModelError", providerId: "ollama", ...failure });
  await expect(connect().generate(ask)).rejects.toMatchObject({ name: "ModelError", ...failure });
  vendor.assertDone();
});

it("names the model that answered in its finish chunk, and gives what it thought", async () => {
  const { vendor, connect } = await startVendor();
  vendor.plan({ transcript: "ollama-thinking-tool.ndjson" });

  const { chunks } = await gather(connect().stream(ask));

  expect(chunks.at(-1)).toMatchObject({
    model: "qwen3:8b",
    vendorState: { providerId: "ollama", modelId: "qwen3:8b", items: { thinking: "Need the weather." } },
  });
});

it("covers every recorded answer of Ollama's", () => {
  expect(Object.keys(transcripts).toSorted()).toEqual(transcriptNames().filter((name) => name.startsWith("ollama")));
});
