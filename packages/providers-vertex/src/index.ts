export type { ModelRules } from "./model-rules.ts";
export { vertexEmbeddings } from "./vertex-embeddings.ts";
export { vertex } from "./vertex-model.ts";
export type {
  AuthClient,
  GeminiClient,
  GeminiEmbeddingsClient,
  ServiceAccount,
  VertexEmbeddingsOptions,
  VertexOptions,
} from "./options.ts";
