import { providerSuite, throughClients } from "@troupe-internal/vendor-fakes";
import type { ClientSettings, PlannedReply, ProviderSubject, RecordedAnswer } from "@troupe-internal/vendor-fakes";
import { readTranscript } from "@troupe-internal/vendor-fakes";
import type { ModelChunk } from "@troupe/core/provider";
import OpenAI from "openai";
import { describe, it } from "vitest";
import { openai, openaiEmbeddings } from "./index.ts";

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

function finish(finishReason: string, [promptTokens, completionTokens, totalTokens, parts]: Counts): object {
  return { type: "finish", finishReason, usage: { promptTokens, completionTokens, totalTokens, ...parts } };
}

const none = { reasoningTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 };
const noneOfChat = { reasoningTokens: 0, cachedTokens: 0, audioInputTokens: 0, audioOutputTokens: 0 };
const generated = "own-1";
const pieces = ['{"ci', 'ty":"Pa', 'ris"}'];
const weather = [start("call_A", "get_weather"), ...pieces.map((piece) => delta("call_A", piece)), end("call_A")];

/** Each recorded answer of the vendor, and of servers that speak like it, as it has to be read. */
const recorded: Record<string, RecordedAnswer> = {
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
    error: { name: "ModelError", code: "model_failed", status: 500, vendorCode: "server_error" },
  },
  "openai-responses-error-nested.sse": {
    chunks: [],
    error: { name: "ModelError", code: "rate_limited", status: 429, vendorCode: "insufficient_quota" },
  },
  "openai-responses-failed-only.sse": {
    chunks: [],
    error: { name: "ModelError", code: "rate_limited", status: 429, vendorCode: "rate_limit_exceeded" },
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
    error: { name: "ModelError", code: "model_failed", status: 500, vendorCode: "server_error" },
  },
  "openai-chat-truncated.sse": {
    chunks: text("Hel"),
    error: { name: "ModelError", code: "model_failed", networkCode: "ECONNRESET" },
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

/** Returns a recorded answer without its last event. */
function cutTranscript(name: string): PlannedReply {
  const reply = readTranscript(name);
  const events = reply.frames.join("").split(/(?<=\n\n)/);
  return { raw: { ...reply, frames: events.slice(0, -1) } };
}

function over(api: "chat" | "responses", modelId: string): Omit<ProviderSubject, "truncated" | "untaken"> {
  const isOwn = (name: string) => name.startsWith("openai-responses") === (api === "responses");
  return {
    connect: (url, { modelId: other = modelId, ...options }) =>
      openai(other, { baseURL: `${url}/v1`, api, ...options }),
    embeddings: (url, options) => openaiEmbeddings({ baseURL: `${url}/v1`, ...options }),
    models: [modelId],
    // The environment's key is for OpenAI's own address alone.
    keyVariables: [],
    secrets: /encrypted|rs_|phase/,
    vendorCodes: { 429: "rate_limit_exceeded", 529: "server_error" },
    transcriptPattern: api === "responses" ? /^openai-responses/ : /^openai-chat|^compat/,
    knownGaps: {
      "makes of any history one that its vendor takes, its own answers among it":
        "core repairs calls and results before a run; called by itself, the provider sends them as they are",
    },
    transcripts: Object.fromEntries(Object.entries(recorded).filter(([name]) => isOwn(name))),
  };
}

const responses: ProviderSubject = {
  ...over("responses", "gpt-6.1-sol"),
  truncated: cutTranscript("openai-responses-text.sse"),
  untaken: { temperature: 0 },
};
const chat: ProviderSubject = {
  ...over("chat", "gpt-4.1"),
  truncated: { transcript: "openai-chat-truncated.sse" },
  untaken: { reasoning: { enabled: true } },
};

const noKey = "the library's constructor throws an error of its own without a key";
const wholeSilence = "the library tells nothing of a whole answer before all of it has come: timeoutMs alone limits it";
const leftUnread = "the library leaves the rest of a stream unread, and its socket, at [DONE]";

/** The same subject over clients of OpenAI's library. */
function withClients(subject: ProviderSubject, api: "chat" | "responses"): ProviderSubject {
  const clientOf = ({ url, ...given }: ClientSettings) => new OpenAI({ baseURL: `${url}/v1`, ...given });
  return throughClients(subject, {
    model: (client, { modelId, ...options }) => openai(modelId, { client: clientOf(client), api, ...options }),
    embeddings: (client) => openaiEmbeddings({ client: clientOf(client) }),
    keyVariables: ["OPENAI_API_KEY"],
    knownGaps: {
      "reads nothing else from the environment": "the library reads OPENAI_ORG_ID and more",
      "is unauthorized without any key, before any request": noKey,
      "ends a stalled stream as a timeout": wholeSilence,
      "ends a whole answer that goes silent, and its socket": wholeSilence,
      ...(api === "chat" && {
        "keeps its socket for the next call, also when the answer ends a moment after its last event": leftUnread,
      }),
    },
  });
}

describe("openai over Responses", () => {
  providerSuite(it, responses);
});

describe("openai over Chat Completions", () => {
  providerSuite(it, chat);
});

describe("openai over Responses, through the caller's client", () => {
  providerSuite(it, withClients(responses, "responses"));
});

describe("openai over Chat Completions, through the caller's client", () => {
  providerSuite(it, withClients(chat, "chat"));
});
