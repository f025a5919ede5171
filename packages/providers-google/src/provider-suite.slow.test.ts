import { GoogleGenAI } from "@google/genai";
import { providerSuite, throughClients } from "@troupe-internal/vendor-fakes";
import type { ClientSettings, PlannedReply, ProviderSubject } from "@troupe-internal/vendor-fakes";
import { describe, it } from "vitest";
import { google, googleEmbeddings } from "./index.ts";

const thoughtful = {
  promptTokens: 20,
  completionTokens: 44,
  totalTokens: 64,
  cachedTokens: 16,
  reasoningTokens: 38,
};
const finish = (finishReason: string, usage: object = thoughtful) => ({ type: "finish", finishReason, usage });
const text = (...pieces: string[]) => pieces.map((piece) => ({ type: "text", text: piece }));
const call = (name: string, argumentsDelta: string, id: string) => [
  { type: "tool_call_start", toolCall: { id, name } },
  { type: "tool_call_delta", toolCallId: id, argumentsDelta },
  { type: "tool_call_end", toolCallId: id },
];

function refusal(status: number, body: unknown, headers: Record<string, string> = {}): PlannedReply {
  const frames = [JSON.stringify(body)];
  return { raw: { status, headers: { "content-type": "application/json", ...headers }, frames } };
}

const subject: ProviderSubject = {
  connect: (baseURL, { modelId = "gemini-3.8-flash", ...options }) =>
    google(modelId, { baseURL, useEnvironmentKey: true, ...options }),
  embeddings: (baseURL, options) =>
    googleEmbeddings({ baseURL, model: "gemini-embedding-001", dimensions: 256, ...options }),
  models: ["gemini-3.8-flash", "gemini-2.5-flash"],
  keyVariables: ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
  untaken: { stop: [""] },
  secrets: /ignature/,
  agentRequests: { withoutTools: /"mode":"NONE"/, repaired: /"responseJsonSchema":\{|must fit this JSON schema/ },
  truncated: { transcript: "google-truncated.sse" },
  vendorCodes: { 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE" },
  transcriptPattern: /^google|^vertex/,
  transcripts: {
    "google-text.sse": {
      chunks: [...text("Hello", " there"), finish("stop")],
      details: {
        responseId: "r-01",
        model: "gemini-3.8-flash",
        usage: { providerMetrics: { thoughtsTokenCount: 38 } },
        vendorState: {
          providerId: "google",
          modelId: "gemini-3.8-flash",
          items: [{ text: "Hello there" }, { text: "", thoughtSignature: "EpAICo0I-OPAQUE==" }],
        },
      },
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
        ...call("get_weather", '{"city":"Paris"}', "own-1"),
        ...call("get_weather", '{"city":"Oslo"}', "own-2"),
        ...call("now", "{}", "own-3"),
        finish("tool_calls"),
      ],
    },
    "google-malformed.sse": { chunks: [finish("error")] },
    "google-safety.sse": { chunks: [...text("Once"), finish("content_filter")] },
    "google-promptblock.sse": {
      chunks: [finish("content_filter", { promptTokens: 20, completionTokens: 0, totalTokens: 20 })],
    },
    "google-error.sse": {
      chunks: text("Hel"),
      error: { name: "ModelError", code: "model_failed", status: 503, vendorCode: "UNAVAILABLE" },
    },
    "google-truncated.sse": {
      chunks: text("Hel"),
      error: { name: "ModelError", code: "model_failed", networkCode: "ECONNRESET" },
    },
    // The cloud platform's, when a gateway asks for arguments in pieces.
    "vertex-partial-args.sse": {
      chunks: [...call("get_weather", '{"city":"Paris"}', "own-1"), finish("tool_calls")],
    },
  },
  failures: {
    "429 with a wait among its headers": {
      reply: refusal(429, { error: { code: 429, details: [{ retryDelay: "9s" }] } }, { "retry-after": "2" }),
      error: { code: "rate_limited", retryAfterMs: 2000 },
    },
    "a fraction of a second to wait": {
      reply: refusal(503, { error: { status: "UNAVAILABLE", details: [null, {}, { retryDelay: "34.4s" }] } }),
      error: { code: "model_failed", status: 503, vendorCode: "UNAVAILABLE", retryAfterMs: 34_400 },
    },
    "a wait that is none": {
      reply: refusal(503, { error: { details: [{ retryDelay: "soon" }] } }),
      error: { status: 503, retryAfterMs: undefined },
    },
    "a list with one error": {
      reply: refusal(404, [{ error: { code: 404, status: "NOT_FOUND" } }]),
      error: { vendorCode: "NOT_FOUND" },
    },
    "a body of null": { reply: refusal(500, null), error: { code: "model_failed", status: 500 } },
    "a body without an error": { reply: refusal(500, { oops: 1 }), error: { code: "model_failed", status: 500 } },
    "status 504": {
      reply: { failure: { status: 504 } },
      error: { code: "timeout", status: 504, vendorCode: "DEADLINE_EXCEEDED" },
    },
  },
  knownGaps: {
    "reports truncated arguments and does not guess the rest":
      "Gemini tells arguments as an object: whole, or not at all",
  },
};

describe("google", () => {
  providerSuite(it, subject);
});

const clientOf = ({ url: baseUrl, fetch, ...given }: ClientSettings) =>
  new GoogleGenAI({ enterprise: false, httpOptions: { baseUrl, ...(fetch && { fetch }) }, ...given });

/** The library gives no headers of a failure. */
const { "429 with a wait among its headers": _, ...failures } = subject.failures ?? {};
const withoutHeaders = { ...subject, failures };

describe("google, through the caller's client", () => {
  providerSuite(
    it,
    throughClients(withoutHeaders, {
      model: (client, { modelId, ...options }) => google(modelId, { client: clientOf(client), ...options }),
      embeddings: (client) =>
        googleEmbeddings({ client: clientOf(client), model: "gemini-embedding-001", dimensions: 256 }),
      knownGaps: {
        "ends a whole answer that goes silent, and its socket":
          "the library tells nothing of a whole answer before all of it has come",
        "reads nothing else from the environment": "the library reads GOOGLE_GENAI_API_VERSION and more",
        "is unauthorized without any key, before any request": "the library sends a request without a key",
        "ends a stalled stream as a timeout": "the library tells nothing of a whole answer before all of it has come",
        "keeps the status of a failure whose body breaks off": "the library reads the body before it tells the status",
      },
    }),
  );
});
