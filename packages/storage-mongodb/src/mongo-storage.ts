import { MongoFailures } from "@troupe-internal/mongodb";
import { createLogger } from "@troupe/core";
import { DatabaseStorage } from "@troupe/core/storage";
import { MongoDatabase } from "./mongo-database.ts";
import { readArguments } from "./mongo-options.ts";
import type { MongoOptions } from "./mongo-options.ts";
import { openCollection } from "./open-collection.ts";
import { standaloneWarning } from "./standalone.ts";

/**
 * Largest text of a record in bytes. A MongoDB document may have 16 MiB; the remaining bytes have room for the longest
 * id.
 */
const maxTextBytes = 16 * 1024 * 1024 - 8 * 1024;

/**
 * Storage in a MongoDB collection. Any number of processes may use a replica set or a sharded cluster at the same time.
 * A standalone server serves one process, without `ifHeld` and `transaction`, and causes one warning.
 */
export class MongoStorage extends DatabaseStorage {
  /**
   * The first call connects to the server. `dbName` defaults to the database in the uri, else to `troupe`;
   * `collectionName` to `storage`.
   */
  // oxlint-disable-next-line max-params -- the specification names these parameters
  constructor(uri: string, dbName?: string, collectionName?: string, options: MongoOptions = {}) {
    const settings = readArguments({ uri, dbName, collectionName, options });
    const failures = new MongoFailures(uri);
    const open = async () => {
      const collection = await openCollection(settings, failures);
      const logger = settings.logger ?? createLogger({ level: "warn", prefix: "MongoStorage" });
      if (collection.isStandalone) logger.warn(standaloneWarning);
      return new MongoDatabase(collection, { failures, logger });
    };
    super({ name: "The MongoDB storage", open, maxTextBytes });
  }

  /**
   * Calls the listener when something in the namespace may have changed. While there are listeners, a change stream
   * reports all writes to the collection.
   */
  watch(namespace: string, listener: () => void): () => void {
    return this.watchRecords(namespace, listener);
  }
}
