export { anthropic } from "./anthropic-model.ts";
export type { AnthropicClient, AnthropicOptions } from "./options.ts";
export type { ModelRules } from "./model-rules.ts";
