import { transcriptNames } from "@troupe-internal/vendor-fakes";
import { TroupeError } from "@troupe/core";
import { isRetryable } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import { describe, expect, it } from "vitest";
import { modelOf, question, startVendor } from "../test/ask.ts";

type Recorded = { chunks: ModelChunk[]; error?: object };

const text = (...pieces: string[]): ModelChunk[] => pieces.map((piece) => ({ type: "text", text: piece }));
const thinking = (...pieces: string[]): ModelChunk[] => pieces.map((piece) => ({ type: "thinking", text: piece }));
const start = (id: string, name: string): ModelChunk => ({ type: "tool_call_start", toolCall: { id, name } });
const delta = (toolCallId: string, argumentsDelta: string): ModelChunk => ({
  type: "tool_call_delta",
  toolCallId,
  argumentsDelta,
});
const end = (toolCallId: string): ModelChunk => ({ type: "tool_call_end", toolCallId });

type Counts = [prompt: number, completion: number, total: number, parts?: Record<string, number>];

function finish(finishReason: string, [promptTokens, completionTokens, totalTokens, parts]: Counts): ModelChunk {
  const providerMetrics = expect.any(Object) as Record<string, unknown>;
  const usage = { promptTokens, completionTokens, totalTokens, ...parts, providerMetrics };
  return { type: "finish", finishReason, usage } as ModelChunk;
}

const none = { reasoningTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 };
const noneOfChat = { reasoningTokens: 0, cachedTokens: 0, audioInputTokens: 0, audioOutputTokens: 0 };
const generated = expect.stringMatching(/^call_[\w-]{36}$/) as string;
const pieces = ['{"ci', 'ty":"Pa', 'ris"}'];
const weather = [start("call_A", "get_weather"), ...pieces.map((piece) => delta("call_A", piece)), end("call_A")];

/** Each recorded answer of the vendor, and of servers that speak like it, as it has to be read. */
const recorded: Record<string, Recorded> = {
  "openai-responses-text.sse": {
    chunks: [...text("Hello", " there"), finish("stop", [20, 5, 25, { ...none, cachedTokens: 16 }])],
  },
  "openai-responses-refusal.sse": {
    chunks: [...text("I can't help with that."), finish("stop", [20, 8, 28, none])],
  },
  "openai-responses-incomplete.sse": { chunks: [...text("Once upon"), finish("length", [20, 16, 36, none])] },
  "openai-responses-parallel-tools.sse": {
    chunks: [
      start("call_A", "get_weather"),
      delta("call_A", '{"city":"Paris"}'),
      end("call_A"),
      start("call_B", "get_weather"),
      delta("call_B", '{"city":"Oslo"}'),
      end("call_B"),
      finish("tool_calls", [60, 40, 100, none]),
    ],
  },
  "openai-responses-reasoning-tool.sse": {
    chunks: [
      ...thinking("Need the weather,", " so call the tool."),
      ...weather,
      finish("tool_calls", [60, 40, 100, { ...none, reasoningTokens: 24 }]),
    ],
  },
  "openai-responses-error-flat.sse": {
    chunks: [],
    error: { code: "model_failed", status: 500, vendorCode: "server_error", isRetryable: true },
  },
  "openai-responses-error-nested.sse": {
    chunks: [],
    error: { code: "rate_limited", status: 429, vendorCode: "insufficient_quota", isRetryable: true },
  },
  "openai-responses-failed-only.sse": {
    chunks: [],
    error: { code: "rate_limited", status: 429, vendorCode: "rate_limit_exceeded", isRetryable: true },
  },
  "openai-chat-text.sse": {
    chunks: [...text("Hello", " there"), finish("stop", [20, 5, 25, { ...noneOfChat, cachedTokens: 16 }])],
  },
  "openai-chat-tool.sse": { chunks: [...weather, finish("tool_calls", [60, 20, 80, noneOfChat])] },
  "openai-chat-parallel.sse": {
    chunks: [
      start("call_A", "get_weather"),
      delta("call_A", '{"city":"Paris"}'),
      start("call_B", "get_weather"),
      delta("call_B", '{"city":"Oslo"}'),
      end("call_A"),
      end("call_B"),
      finish("tool_calls", [60, 30, 90, noneOfChat]),
    ],
  },
  "openai-chat-error.sse": {
    chunks: text("Hel"),
    error: { code: "model_failed", status: 500, vendorCode: "server_error", isRetryable: true },
  },
  "openai-chat-truncated.sse": {
    chunks: text("Hel"),
    error: { code: "model_failed", networkCode: "ECONNRESET", isRetryable: true },
  },
  "compat-quirks.sse": {
    chunks: [
      ...thinking("Let me ", "think."),
      start("call_0", "f"),
      delta("call_0", '{"a":1}'),
      start("call_1", "g"),
      delta("call_1", '{"b":2}'),
      start(generated, "h"),
      delta(generated, "{}"),
      end("call_0"),
      end("call_1"),
      end(generated),
      finish("tool_calls", [5, 7, 12]),
    ],
  },
};

/** Streams a recorded answer in pieces of so many bytes. */
async function replay(transcript: string, pieceBytes: number | undefined): Promise<Recorded> {
  const vendor = await startVendor({ strict: false });
  vendor.plan({ transcript, ...(pieceBytes !== undefined && { delivery: { pieceBytes } }) });
  const model = modelOf(vendor, { api: transcript.startsWith("openai-responses") ? "responses" : "chat" });
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of model.stream(question)) chunks.push(chunk);
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    const { code, status, vendorCode, networkCode } = error as TroupeError & Record<string, unknown>;
    const facts = { code, status, vendorCode, networkCode, isRetryable: isRetryable(error) };
    return { chunks, error: JSON.parse(JSON.stringify(facts)) as object };
  }
  return { chunks };
}

/** The chunk without what the last one says of the answer beside its end. */
function withoutDetails(chunk: ModelChunk): object {
  const details = new Set(["responseId", "model", "vendorState"]);
  return Object.fromEntries(Object.entries(chunk).filter(([name]) => !details.has(name)));
}

describe("a recorded answer", () => {
  const names = Object.keys(recorded);
  const sizes = [undefined, 1, 7, 64];
  const cases = names.flatMap((name) => sizes.map((size) => ({ name, size, in: size ?? "its own" })));

  it.each(cases)("is read as it was meant: $name in pieces of $in bytes", async ({ name, size }) => {
    const { chunks, error } = await replay(name, size);

    expect(chunks.map(withoutDetails)).toEqual(recorded[name]?.chunks);
    expect(error).toEqual(recorded[name]?.error);
  });

  it("is known here, whichever of the vendor's it is", () => {
    expect(transcriptNames().filter((name) => /^(openai|compat)-/.test(name))).toEqual(names.toSorted());
  });
});
