export { ollamaEmbeddings } from "./ollama-embeddings.ts";
export { ollama } from "./ollama-model.ts";
export type { OllamaClient, OllamaEmbeddingsClient, OllamaEmbeddingsOptions, OllamaOptions } from "./options.ts";
export type { ModelRules } from "./model-rules.ts";
