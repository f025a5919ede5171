export { accessByKey } from "./access.ts";
export type { Access, OpenCall, OpenedCall } from "./access.ts";
export { batchEmbedContents, embedContent, GeminiEmbedder, predict } from "./gemini-embeddings.ts";
export type { EmbeddingTarget } from "./gemini-embeddings.ts";
export { createGeminiModel } from "./gemini-model.ts";
export { connectionTable, modelIdOption, ownOfClient, readEmbeddingsOptions, readModelOptions } from "./options.ts";
export type { ConnectionOptions, GeminiClient, GeminiEmbeddingsClient } from "./options.ts";
