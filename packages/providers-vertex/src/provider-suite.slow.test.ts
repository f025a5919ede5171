import { GoogleGenAI } from "@google/genai";
import { providerSuite, throughClients } from "@troupe-internal/vendor-fakes";
import type { ClientSettings, ProviderSubject } from "@troupe-internal/vendor-fakes";
import { describe, it } from "vitest";
import { authClient } from "../test/vendor.ts";
import { vertex } from "./index.ts";

const place = { project: "troupe-1", location: "global" };
const gaps = {
  "reports truncated arguments and does not guess the rest":
    "Gemini tells arguments as an object: whole, or not at all",
};
const usage = { promptTokens: 20, completionTokens: 44, totalTokens: 64, cachedTokens: 16, reasoningTokens: 38 };

/** Both ways to ask: Gemini's recorded answers themselves are read in the tests of `@troupe/providers-google`. */
const common: Omit<ProviderSubject, "connect" | "models" | "keyVariables"> = {
  untaken: { stop: [""] },
  secrets: /ignature/,
  truncated: { transcript: "google-truncated.sse" },
  vendorCodes: { 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE" },
  transcripts: {
    "google-thinking-tool.sse": {
      chunks: [
        { type: "thinking", text: "**Plan**\n\nNeed the weather." },
        { type: "tool_call_start", toolCall: { id: "fc-7a1", name: "get_weather" } },
        { type: "tool_call_delta", toolCallId: "fc-7a1", argumentsDelta: '{"city":"Paris"}' },
        { type: "tool_call_end", toolCallId: "fc-7a1" },
        { type: "finish", finishReason: "tool_calls", usage },
      ],
      details: { vendorState: { providerId: "vertex", modelId: "gemini-3.8-flash" } },
    },
  },
  knownGaps: gaps,
};

describe("vertex, asked with a key alone", () => {
  providerSuite(it, {
    ...common,
    connect: (baseURL, { modelId = "gemini-3.8-flash", ...options }) =>
      vertex(modelId, { baseURL, useEnvironmentKey: true, ...options }),
    models: ["gemini-3.8-flash", "gemini-2.5-pro"],
    keyVariables: ["GOOGLE_API_KEY"],
  });
});

const ofProject: ProviderSubject = {
  ...common,
  // The project's token stands in for the provider's own key.
  connect: (baseURL, { modelId = "gemini-3.8-flash", apiKey, ...options }) =>
    vertex(modelId, { baseURL, ...place, credentials: authClient(apiKey), ...options }),
  models: ["gemini-3.8-flash"],
  keyVariables: [],
};

describe("vertex, asked with a project's credentials", () => {
  providerSuite(it, ofProject);
});

const clientOf = ({ url: baseUrl, apiKey, fetch }: ClientSettings) =>
  new GoogleGenAI({
    enterprise: true,
    ...place,
    httpOptions: { baseUrl, ...(fetch && { fetch }) },
    googleAuthOptions: { authClient: authClient(apiKey) } as unknown as Record<string, never>,
  });

describe("vertex, through the caller's client", () => {
  providerSuite(
    it,
    throughClients(ofProject, {
      model: (client, { modelId, ...options }) => vertex(modelId, { client: clientOf(client), ...options }),
      knownGaps: {
        "ends a whole answer that goes silent, and its socket":
          "the library tells nothing of a whole answer before all of it has come",
        "reads nothing else from the environment": "the library reads GOOGLE_GENAI_API_VERSION and more",
        "ends a stalled stream as a timeout": "the library tells nothing of a whole answer before all of it has come",
        "keeps the status of a failure whose body breaks off": "the library reads the body before it tells the status",
      },
    }),
  );
});
