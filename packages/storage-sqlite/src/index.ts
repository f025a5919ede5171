export type { SqliteOptions } from "./sqlite-options.ts";
export { SqliteStorage } from "./sqlite-storage.ts";
