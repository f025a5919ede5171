export { googleEmbeddings } from "./google-embeddings.ts";
export { google } from "./google.ts";
export type { GeminiClient, GeminiEmbeddingsClient, GoogleEmbeddingsOptions, GoogleOptions } from "./google-options.ts";
export type { ModelRules } from "./model-rules.ts";
