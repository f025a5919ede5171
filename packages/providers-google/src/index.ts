export { googleEmbeddings } from "./google-embeddings.ts";
export { google } from "./google-model.ts";
export type { GeminiClient, GeminiEmbeddingsClient, GoogleEmbeddingsOptions, GoogleOptions } from "./options.ts";
export type { ModelRules } from "./model-rules.ts";
