import type { ModelProvider } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { bedrock } from "@troupe/providers-bedrock";
import { google } from "@troupe/providers-google";
import { openai } from "@troupe/providers-openai";
import {
  cerebras,
  deepseek,
  fireworks,
  groq,
  mistral,
  openrouter,
  together,
  xai,
} from "@troupe/providers-openai/presets";

/** A vendor that is met with a key: the variables that may hold the key, and the model that is asked without `--model`. */
export type LiveVendor = {
  readonly variables: readonly string[];
  readonly modelId: string;
  readonly make: (modelId: string) => ModelProvider;
};

/** The vendors, by the names that the command takes. */
export const liveVendors: Readonly<Record<string, LiveVendor>> = {
  openai: { variables: ["OPENAI_API_KEY"], modelId: "gpt-6.1-sol", make: (id) => openai(id, { api: "responses" }) },
  "openai-chat": { variables: ["OPENAI_API_KEY"], modelId: "gpt-4.1", make: (id) => openai(id, { api: "chat" }) },
  anthropic: { variables: ["ANTHROPIC_API_KEY"], modelId: "claude-haiku-5-5", make: (id) => anthropic(id) },
  google: {
    variables: ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
    modelId: "gemini-flash-latest",
    make: (id) => google(id),
  },
  bedrock: {
    variables: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"],
    modelId: "us.amazon.nova-pro-v1:0",
    make: (id) => bedrock(id),
  },
  cerebras: { variables: ["CEREBRAS_API_KEY"], modelId: "gpt-oss-120b", make: (id) => cerebras(id) },
  deepseek: { variables: ["DEEPSEEK_API_KEY"], modelId: "deepseek-chat", make: (id) => deepseek(id) },
  fireworks: {
    variables: ["FIREWORKS_API_KEY"],
    modelId: "accounts/fireworks/models/gpt-oss-120b",
    make: (id) => fireworks(id),
  },
  groq: { variables: ["GROQ_API_KEY"], modelId: "openai/gpt-oss-120b", make: (id) => groq(id) },
  mistral: { variables: ["MISTRAL_API_KEY"], modelId: "mistral-small-latest", make: (id) => mistral(id) },
  openrouter: { variables: ["OPENROUTER_API_KEY"], modelId: "openai/gpt-oss-120b", make: (id) => openrouter(id) },
  together: { variables: ["TOGETHER_API_KEY"], modelId: "openai/gpt-oss-120b", make: (id) => together(id) },
  xai: { variables: ["XAI_API_KEY"], modelId: "grok-4", make: (id) => xai(id) },
};
