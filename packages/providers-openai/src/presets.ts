export { azure } from "./presets/azure.ts";
export type { AzureOptions } from "./presets/azure.ts";
export {
  cerebras,
  deepseek,
  fireworks,
  groq,
  llamacpp,
  lmstudio,
  mistral,
  openrouter,
  together,
  vllm,
  xai,
} from "./presets/presets.ts";
export type { Preset, PresetOptions } from "./presets/presets.ts";
