export { googleEmbeddings } from "./embeddings/google-embeddings.ts";
export type { GoogleEmbeddingsOptions } from "./embeddings/embeddings-options.ts";
export { google } from "./google.ts";
export type { GoogleOptions } from "./google-options.ts";
export type { ModelRules } from "./model-rules.ts";
