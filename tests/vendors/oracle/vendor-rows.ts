import type { OracleRow } from "./oracle-row.ts";

const metadata = { team: "weather" };

/** The options of the vendors that have no setting of ours, by what they are for. They pass through `vendor`. */
export const vendorRows: Readonly<Record<string, OracleRow>> = {
  topK: {
    options: {
      vendor: {
        anthropic: { top_k: 40 },
        google: { generationConfig: { topK: 40 } },
        ollama: { options: { top_k: 40 } },
      },
    },
    sdk: { anthropic: { top_k: 40 }, google: { config: { topK: 40 } }, ollama: { options: { top_k: 40 } } },
  },
  penalties: {
    options: {
      vendor: {
        google: { generationConfig: { presencePenalty: 0, frequencyPenalty: 0 } },
        ollama: { options: { presence_penalty: 0.5 } },
      },
    },
    sdk: {
      google: { config: { presencePenalty: 0, frequencyPenalty: 0 } },
      ollama: { options: { presence_penalty: 0.5 } },
    },
  },
  verbosity: {
    options: { vendor: { openai: { verbosity: "low" } } },
    sdk: { chat: { verbosity: "low" }, responses: { verbosity: "low" } as object },
  },
  serviceTier: {
    options: { vendor: { openai: { service_tier: "flex" }, anthropic: { service_tier: "standard_only" } } },
    sdk: {
      responses: { service_tier: "flex" },
      chat: { service_tier: "flex" },
      anthropic: { service_tier: "standard_only" },
    },
  },
  metadata: {
    options: { vendor: { openai: { metadata } } },
    sdk: { responses: { metadata }, chat: { metadata } },
  },
  "end user": {
    options: { vendor: { openai: { safety_identifier: "u-1" }, anthropic: { metadata: { user_id: "u-1" } } } },
    sdk: {
      responses: { safety_identifier: "u-1" },
      chat: { safety_identifier: "u-1" },
      anthropic: { metadata: { user_id: "u-1" } },
    },
  },
  logprobs: {
    options: {
      vendor: { openai: { top_logprobs: 2 }, google: { generationConfig: { responseLogprobs: true, logprobs: 2 } } },
    },
    sdk: {
      responses: { top_logprobs: 2 },
      chat: { top_logprobs: 2 },
      google: { config: { responseLogprobs: true, logprobs: 2 } },
    },
  },
  store: {
    options: { vendor: { openai: { store: true } } },
    sdk: { responses: { store: true }, chat: { store: true } },
  },
  "time in memory": {
    options: { vendor: { ollama: { keep_alive: "5m" } } },
    sdk: { ollama: { keep_alive: "5m" } },
  },
};
