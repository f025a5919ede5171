export { SqliteVectorStore } from "./sqlite-vector-store.ts";
export type { SqliteVectorOptions } from "./sqlite-vector-store.ts";
