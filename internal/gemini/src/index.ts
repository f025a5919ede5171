export { accessByKey } from "./access.ts";
export type { OpenCall, OpenedCall } from "./access.ts";
export { batchEmbedContents, createGeminiEmbeddings, embedContent, predict } from "./gemini-embeddings.ts";
export { takesKey } from "./connection.ts";
export { createGeminiModel } from "./gemini-model.ts";
export { readEmbeddingsOptions, readModelOptions } from "./options.ts";
