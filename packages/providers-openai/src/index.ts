export type { OpenAIOptions, OpenAIEmbeddingsOptions } from "./openai-options.ts";
export type { ModelRules, PartKind } from "./model-rules.ts";
export { openaiEmbeddings } from "./openai-embeddings.ts";
export { openai } from "./openai-model.ts";
