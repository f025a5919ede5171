import type { ModelProvider } from "@troupe/core";
import { OpenAIModel } from "../openai-model.ts";
import { readVendorOptions } from "../options.ts";
import type { OpenAIOptions } from "../options.ts";
import { vendors } from "./vendors.ts";
import type { PresetName } from "./vendors.ts";

/** Options of a preset: those of `openai`, with the vendor's own defaults for `apiKey` and `baseURL`. */
export type PresetOptions = Omit<OpenAIOptions, "api">;

/** Creates a model of one vendor. Throws `invalid_config` for wrong options. */
export type Preset = (modelId: string, options?: PresetOptions) => ModelProvider;

function preset(name: PresetName): Preset {
  return (modelId, options = {}) => new OpenAIModel(readVendorOptions({ vendor: vendors[name], modelId }, options));
}

/** Models of Cerebras. */
export const cerebras = preset("cerebras");
/** Models of DeepSeek. */
export const deepseek = preset("deepseek");
/** Models on Fireworks. */
export const fireworks = preset("fireworks");
/** Models on Groq. */
export const groq = preset("groq");
/** The model of a llama.cpp server, on this machine unless `baseURL` says otherwise. */
export const llamacpp = preset("llamacpp");
/** A model in LM Studio, on this machine unless `baseURL` says otherwise. */
export const lmstudio = preset("lmstudio");
/** Models of Mistral. */
export const mistral = preset("mistral");
/** Models of many vendors through OpenRouter. */
export const openrouter = preset("openrouter");
/** Models on Together. */
export const together = preset("together");
/** A model of a vLLM server, on this machine unless `baseURL` says otherwise. */
export const vllm = preset("vllm");
/** Models of xAI. */
export const xai = preset("xai");
