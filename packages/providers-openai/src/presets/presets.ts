import type { ModelProvider } from "@troupe/core";
import { OpenAIModel } from "../openai-model.ts";
import { readVendorOptions } from "../options.ts";
import type { OpenAIOptions } from "../options.ts";
import { vendors } from "./vendors.ts";
import type { PresetName } from "./vendors.ts";

/** Options of a preset: the options of `openai`, with the vendor's own defaults for `apiKey` and `baseURL`. */
export type PresetOptions = Omit<OpenAIOptions, "api">;

/** Creates a model of one vendor. Throws `invalid_config` for wrong options. */
export type Preset = (modelId: string, options?: PresetOptions) => ModelProvider;

function preset(name: PresetName): Preset {
  return (modelId, options = {}) => new OpenAIModel(readVendorOptions({ vendor: vendors[name], modelId }, options));
}

/** Creates a model of Cerebras. */
export const cerebras = preset("cerebras");
/** Creates a model of DeepSeek. */
export const deepseek = preset("deepseek");
/** Creates a model on Fireworks. */
export const fireworks = preset("fireworks");
/** Creates a model on Groq. */
export const groq = preset("groq");
/** Creates a model on a llama.cpp server, on this machine or at `baseURL`. */
export const llamacpp = preset("llamacpp");
/** Creates a model in LM Studio, on this machine or at `baseURL`. */
export const lmstudio = preset("lmstudio");
/** Creates a model of Mistral. */
export const mistral = preset("mistral");
/** Creates a model of any vendor that OpenRouter offers. */
export const openrouter = preset("openrouter");
/** Creates a model on Together. */
export const together = preset("together");
/** Creates a model on a vLLM server, on this machine or at `baseURL`. */
export const vllm = preset("vllm");
/** Creates a model of xAI. */
export const xai = preset("xai");
