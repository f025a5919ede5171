export { MongoDbVectorStore } from "./mongodb-vector-store.ts";
export type { MongoDbVectorOptions } from "./mongodb-vector-options.ts";
