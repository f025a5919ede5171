import { providerSuite } from "@troupe-internal/vendor-fakes";
import type { ProviderSubject } from "@troupe-internal/vendor-fakes";
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
    connect: (baseURL, { modelId = "gemini-3.8-flash", ...options }) => vertex(modelId, { baseURL, ...options }),
    models: ["gemini-3.8-flash", "gemini-2.5-pro"],
    keyVariables: ["GOOGLE_API_KEY"],
  });
});

describe("vertex, asked with a project's credentials", () => {
  providerSuite(it, {
    ...common,
    // The project's token stands in for the provider's own key.
    connect: (baseURL, { modelId = "gemini-3.8-flash", apiKey, ...options }) =>
      vertex(modelId, { baseURL, ...place, credentials: authClient(apiKey), ...options }),
    models: ["gemini-3.8-flash"],
    keyVariables: [],
  });
});
