export type { ModelRules, InputPartKind } from "./model-rules.ts";
export { openaiEmbeddings } from "./openai-embeddings.ts";
export { openai } from "./openai-model.ts";
export type { OpenAIClient, OpenAIEmbeddingsClient, OpenAIEmbeddingsOptions, OpenAIOptions } from "./options.ts";
