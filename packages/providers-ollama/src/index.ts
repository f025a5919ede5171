export { ollama } from "./ollama-model.ts";
export type { OllamaOptions } from "./ollama-options.ts";
export type { ModelRules } from "./model-rules.ts";
