export type { QdrantOptions } from "./qdrant-options.ts";
export { QdrantVectorStore } from "./qdrant-vector-store.ts";
