import type { ModelProvider } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";

/** How to come to a model of a vendor. */
export type Vendor = {
  /** Where its key may stand; the first one that is set counts. Ollama, on the own machine, wants none. */
  readonly keys: readonly string[];
  /** The model that is asked when none is named. */
  readonly modelId: string;
  readonly model: (modelId: string, options?: { baseURL?: string }) => ModelProvider;
};

/** The vendors, in the order in which their keys are looked for. */
export const vendors = {
  openai: { keys: ["OPENAI_API_KEY"], modelId: "gpt-6.1-sol", model: openai },
  anthropic: { keys: ["ANTHROPIC_API_KEY"], modelId: "claude-sonnet-5-5", model: anthropic },
  google: { keys: ["GOOGLE_API_KEY", "GEMINI_API_KEY"], modelId: "gemini-3.8-flash", model: google },
  ollama: { keys: [], modelId: "qwen3:8b", model: (id, options) => ollama(id, { contextLength: 16_384, ...options }) },
} as const satisfies Record<string, Vendor>;
