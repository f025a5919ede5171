import type { ModelSettings } from "@troupe/core";
import type { OracleRow } from "./oracle-row.ts";
import { withTools } from "./setting-rows.ts";

/**
 * Every option that the vendors have, with the setting of ours that it is. `null`: it has none, and passes through
 * `vendor`.
 */
const vendorOptions = {
  temperature: "temperature",
  topP: "topP",
  topK: null,
  maxTokens: "maxTokens",
  stop: "stop",
  seed: "seed",
  penalties: null,
  "tool choice": "toolChoice",
  "tool by its name": "toolChoice",
  "subset of tools": null,
  "calls one by one": "parallelToolCalls",
  effort: "reasoning",
  budget: "reasoning",
  verbosity: null,
  "service tier": null,
  "response format": "responseFormat",
  metadata: null,
  "end user": null,
  logprobs: null,
  store: null,
  truncation: null,
  speed: null,
  "place of inference": null,
  "time in memory": null,
} as const satisfies Record<string, Exclude<keyof ModelSettings, "vendor"> | null>;

type OwnOption = {
  [Name in keyof typeof vendorOptions]: (typeof vendorOptions)[Name] extends null ? Name : never;
}[keyof typeof vendorOptions];

const metadata = { team: "weather" };
const penalties = { presence_penalty: 0.5, frequency_penalty: 0.25 };
const allowedName = { type: "function" as const, name: "look" };
const allowedFunction = { type: "function" as const, function: { name: "look" } };
const onlyLook = { functionCallingConfig: { mode: "ANY" as never, allowedFunctionNames: ["look"] } };

/** Calls with the options that have no setting of ours: a missing one is an error of the types. */
export const vendorRows = {
  topK: {
    "40": {
      options: {
        vendor: {
          anthropic: { top_k: 40 },
          google: { generationConfig: { topK: 40 } },
          ollama: { options: { top_k: 40 } },
        },
      },
      sdk: { anthropic: { top_k: 40 }, google: { config: { topK: 40 } }, ollama: { options: { top_k: 40 } } },
    },
  },
  penalties: {
    "at other vendors than OpenAI": {
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
    "in Chat Completions": { options: { vendor: { openai: penalties } }, sdk: { chat: penalties }, only: ["chat"] },
  },
  "subset of tools": {
    "in Responses": {
      ...withTools(
        { vendor: { openai: { tool_choice: { type: "allowed_tools", mode: "auto", tools: [allowedName] } } } },
        { responses: { tool_choice: { type: "allowed_tools", mode: "auto", tools: [allowedName] } } },
      ),
      only: ["responses"],
    },
    "in Chat Completions": {
      ...withTools(
        {
          vendor: {
            openai: {
              tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [allowedFunction] } },
            },
          },
        },
        {
          chat: { tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [allowedFunction] } } },
        },
      ),
      only: ["chat"],
    },
    "at Gemini": {
      ...withTools({ vendor: { google: { toolConfig: onlyLook } } }, { google: { toolConfig: onlyLook } }),
      only: ["google"],
    },
  },
  verbosity: {
    low: {
      options: { vendor: { openai: { verbosity: "low" } } },
      sdk: { chat: { verbosity: "low" }, responses: { verbosity: "low" } as object },
    },
  },
  "service tier": {
    cheaper: {
      options: {
        vendor: {
          openai: { service_tier: "flex" },
          anthropic: { service_tier: "standard_only" },
          google: { serviceTier: "flex" },
        },
      },
      sdk: {
        responses: { service_tier: "flex" },
        chat: { service_tier: "flex" },
        anthropic: { service_tier: "standard_only" },
        google: { config: { serviceTier: "flex" as never } },
      },
    },
  },
  metadata: {
    "one pair": {
      options: { vendor: { openai: { metadata } } },
      sdk: { responses: { metadata }, chat: { metadata } },
    },
  },
  "end user": {
    "an id": {
      options: { vendor: { openai: { safety_identifier: "u-1" }, anthropic: { metadata: { user_id: "u-1" } } } },
      sdk: {
        responses: { safety_identifier: "u-1" },
        chat: { safety_identifier: "u-1" },
        anthropic: { metadata: { user_id: "u-1" } },
      },
    },
  },
  logprobs: {
    "of two tokens": {
      options: {
        vendor: {
          openai: { top_logprobs: 2 },
          google: { generationConfig: { responseLogprobs: true, logprobs: 2 } },
          ollama: { logprobs: true, top_logprobs: 2 },
        },
      },
      sdk: {
        responses: { top_logprobs: 2 },
        chat: { top_logprobs: 2 },
        google: { config: { responseLogprobs: true, logprobs: 2 } },
        ollama: { logprobs: true, top_logprobs: 2 },
      },
    },
    "with the switch of Chat Completions": {
      options: { vendor: { openai: { logprobs: true, top_logprobs: 2 } } },
      sdk: { chat: { logprobs: true, top_logprobs: 2 } },
      only: ["chat"],
    },
  },
  store: {
    on: {
      options: { vendor: { openai: { store: true } } },
      sdk: { responses: { store: true }, chat: { store: true } },
    },
  },
  truncation: {
    auto: {
      options: { vendor: { openai: { truncation: "auto" } } },
      sdk: { responses: { truncation: "auto" } },
      only: ["responses"],
    },
  },
  speed: {
    fast: { options: { vendor: { anthropic: { speed: "fast" } } }, sdk: { anthropic: { speed: "fast" } as object } },
  },
  "place of inference": {
    us: {
      options: { vendor: { anthropic: { inference_geo: "us" } } },
      sdk: { anthropic: { inference_geo: "us" } },
    },
  },
  "time in memory": {
    "five minutes": { options: { vendor: { ollama: { keep_alive: "5m" } } }, sdk: { ollama: { keep_alive: "5m" } } },
  },
} satisfies Record<OwnOption, Record<string, OracleRow>>;
