import { DatabaseStorage } from "@troupe/core/adapter";
import { MongoDatabase } from "./mongo-database.ts";
import { MongoFailures } from "./mongo-failure.ts";
import { readArguments } from "./mongo-options.ts";
import type { MongoOptions } from "./mongo-options.ts";
import { openCollection } from "./open-collection.ts";

/** A document of MongoDB has 16 MiB; what is left here is enough for the longest id. */
const maxTextBytes = 16 * 1024 * 1024 - 8 * 1024;

/**
 * Storage in a collection of a MongoDB replica set or sharded cluster, not of a standalone server. Any number of
 * processes may use it at the same time.
 */
export class MongoStorage extends DatabaseStorage {
  /**
   * The first call connects. `dbName` defaults to the database in the uri, else to `troupe`; `collectionName` to `storage`.
   */
  // oxlint-disable-next-line max-params -- the specification's shape
  constructor(uri: string, dbName?: string, collectionName?: string, options: MongoOptions = {}) {
    const settings = readArguments({ uri, dbName, collectionName, options });
    const failures = new MongoFailures(uri);
    const open = async () => new MongoDatabase(await openCollection(settings, failures), failures);
    super({ name: "The MongoDB storage", open, maxTextBytes });
  }
}
