export type { PgVectorOptions, PgVectorPool } from "./pg-vector-options.ts";
export { PgVectorStore } from "./pg-vector-store.ts";
