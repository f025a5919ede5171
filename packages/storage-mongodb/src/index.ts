export { MongoStorage } from "./mongo-storage.ts";
export type { MongoOptions } from "./mongo-options.ts";
