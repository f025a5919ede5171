import { TroupeError } from "@troupe/core";
import type { CollectionOptions, Db, Document, MongoClient, MongoClientOptions } from "mongodb";
import type { MongoFailures } from "./mongo-failures.ts";

/** The MongoDB server and database to open, and the collections to prepare in it. */
export type MongoPlace = {
  /** The name of the class that opens the database, for errors. */
  readonly owner: string;
  readonly uri: string;
  readonly dbName: string;
  readonly timeoutMs: number;
  readonly collectionNames: readonly string[];
};

/** A database on a connected MongoDB server, whose version and collections have been checked. */
export type OpenMongo = {
  readonly client: MongoClient;
  readonly db: Db;
  /** True for a server outside of replica sets and sharded clusters, which has no transactions and no snapshots. */
  readonly isStandalone: boolean;
  /** The options with which a MongoDB collection is used. */
  readonly collectionOptions: CollectionOptions;
};

/** The wire version of MongoDB 5.0, the first with snapshot reads outside of transactions. */
const leastWireVersion = 13;

/** Options for a standalone server, which has no majority to read from or to write to. */
const standaloneOptions: CollectionOptions = { readConcern: { level: "local" }, writeConcern: { w: 1, journal: true } };

const namespaceExists = 48;

/**
 * Imports MongoDB's library, connects, checks the server, creates missing collections, and then runs the work. If a
 * step after the import fails, closes the connection and throws a `TroupeError`.
 */
export async function openMongo<Result>(
  place: MongoPlace,
  failures: MongoFailures,
  work: (opened: OpenMongo) => Promise<Result>,
): Promise<Result> {
  const { MongoClient, ReadConcern } = await import("mongodb");
  const client = failures.withUri(() => new MongoClient(place.uri, clientOptions(place.timeoutMs)));
  try {
    const db = client.db(place.dbName, { ...safeOptions(place.timeoutMs), readConcern: new ReadConcern("majority") });
    const isStandalone = checkServer(await db.command({ hello: 1 }), place.owner);
    for (const name of place.collectionNames) await prepareCollection(db, name, place.owner);
    return await work({ client, db, isStandalone, collectionOptions: isStandalone ? standaloneOptions : {} });
  } catch (error) {
    await client.close();
    throw failures.from(error);
  }
}

/**
 * Returns options for writes that no failover loses, and reads that see them. They are also set on the database,
 * because `journal` and `readConcernLevel` in the uri override the options of the client.
 */
function safeOptions(timeoutMs: number) {
  return {
    writeConcern: { w: "majority", journal: true, wtimeoutMS: timeoutMs },
    readConcern: { level: "majority" },
    readPreference: "primary",
  } as const;
}

/** Returns client options that override a uri whose settings are weaker than the packages need. */
function clientOptions(timeoutMs: number): MongoClientOptions {
  const reachMs = Math.min(timeoutMs, 5000);
  return {
    ...safeOptions(timeoutMs),
    retryWrites: true,
    retryReads: true,
    serverSelectionTimeoutMS: reachMs,
    connectTimeoutMS: reachMs,
    waitQueueTimeoutMS: reachMs,
    socketTimeoutMS: timeoutMs,
  };
}

/** Rejects a MongoDB server older than 5.0. Returns true for a standalone server. */
function checkServer({ setName, msg, maxWireVersion }: Document, owner: string): boolean {
  if (maxWireVersion < leastWireVersion)
    throw new TroupeError("invalid_config", `${owner} needs MongoDB 5.0 or later. Upgrade the server.`);
  // A router of a sharded cluster answers `isdbgrid`, and a replica set has a name; a standalone server has neither
  // field.
  return setName === undefined && msg !== "isdbgrid";
}

/**
 * Creates a MongoDB collection before any transaction needs it. Rejects an existing collection that is a view, is
 * capped, or has a collation.
 */
async function prepareCollection(db: Db, name: string, owner: string): Promise<void> {
  const [found] = await db.listCollections({ name }).toArray();
  if (found === undefined) return await createCollection(db, name);
  const { type, options } = found as { type?: string; options?: Document };
  if ((type ?? "collection") === "collection" && options?.["collation"] === undefined && options?.["capped"] !== true)
    return;
  throw new TroupeError(
    "invalid_config",
    `The collection of ${owner} must not be a view or capped, and must have no collation. Use another collectionName.`,
  );
}

async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (error) {
    // The error `NamespaceExists` means that another process created the collection first.
    if ((error as { code?: unknown }).code !== namespaceExists) throw error;
  }
}
