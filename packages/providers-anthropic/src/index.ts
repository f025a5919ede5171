export { anthropic } from "./anthropic-model.ts";
export type { AnthropicOptions } from "./anthropic-options.ts";
export type { ModelRules } from "./model-rules.ts";
