export { collectionNameCheck, dbNameCheck, readDbName, uriCheck } from "./mongo-arguments.ts";
export { MongoFailures } from "./mongo-failures.ts";
export { openMongo } from "./open-mongo.ts";
export type { MongoPlace, OpenMongo } from "./open-mongo.ts";
export { ConcurrentWriteError, isConflict, isDuplicate, repeatWhile, runInTransaction } from "./transaction.ts";
