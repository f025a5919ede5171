import { TroupeError } from "@troupe/core";
import type { ClientSession, Collection, CollectionOptions, Db, Document, MongoClientOptions } from "mongodb";
import type { MongoDbFailures } from "./mongodb-failure.ts";
import type { VectorSettings } from "./mongodb-vector-options.ts";
import type { CatalogEntry, StoredVector, ToBinary } from "./stored-vector.ts";

/** The two MongoDB collections of a vector store on a connected server. `close` disconnects. */
export type OpenVectors = {
  readonly documents: Collection<StoredVector>;
  readonly catalog: Collection<CatalogEntry>;
  readonly db: Db;
  readonly timeoutMs: number;
  /** True for a server that is in no replica set and no sharded cluster: it has no transactions and no snapshots. */
  readonly isStandalone: boolean;
  readonly toBinary: ToBinary;
  readonly startSession: () => ClientSession;
  readonly close: () => Promise<void>;
};

/** MongoDB 5.0, the oldest version that our storage takes, too. */
const leastWireVersion = 13;

/** A standalone server has no majority to read from or to write to. */
const standaloneOptions: CollectionOptions = { readConcern: { level: "local" }, writeConcern: { w: 1, journal: true } };

const namespaceExists = 48;

/**
 * Loads MongoDB's library, connects, checks the server, and creates collections and indexes that do not exist. Closes the
 * connection and throws a `TroupeError` when one of these fails.
 */
export async function openVectors(settings: VectorSettings, failures: MongoDbFailures): Promise<OpenVectors> {
  const { Binary, MongoClient } = await import("mongodb");
  const client = failures.withUri(() => new MongoClient(settings.uri, clientOptions(settings.timeoutMs)));
  try {
    const db = client.db(settings.dbName);
    const isStandalone = checkServer(await db.command({ hello: 1 }));
    const options = isStandalone ? standaloneOptions : {};
    const documents = db.collection<StoredVector>(settings.collectionName, options);
    const catalog = db.collection<CatalogEntry>(`${settings.collectionName}.catalog`, options);
    for (const { collectionName } of [documents, catalog]) await prepareCollection(db, collectionName);
    await documents.createIndex({ scope: 1, terms: 1 });
    return {
      documents,
      catalog,
      db,
      timeoutMs: settings.timeoutMs,
      isStandalone,
      toBinary: (vector) => Binary.fromFloat32Array(vector),
      startSession: () => client.startSession(),
      close: async () => await client.close(),
    };
  } catch (error) {
    await client.close();
    throw failures.from(error);
  }
}

/** Overrides the uri, so that it cannot ask for writes that a failover loses. */
function clientOptions(timeoutMs: number): MongoClientOptions {
  const reachMs = Math.min(timeoutMs, 5000);
  return {
    writeConcern: { w: "majority", journal: true, wtimeoutMS: timeoutMs },
    readConcern: { level: "majority" },
    readPreference: "primary",
    retryWrites: true,
    retryReads: true,
    serverSelectionTimeoutMS: reachMs,
    connectTimeoutMS: reachMs,
    waitQueueTimeoutMS: reachMs,
    socketTimeoutMS: timeoutMs,
  };
}

/** Refuses a server that is too old. Returns true for a standalone one. */
function checkServer({ setName, msg, maxWireVersion }: Document): boolean {
  if (maxWireVersion < leastWireVersion)
    throw new TroupeError("invalid_config", "MongoDbVectorStore needs MongoDB 5.0 or later. Upgrade the server.");
  // A router of a sharded cluster answers isdbgrid; a standalone server has neither.
  return setName === undefined && msg !== "isdbgrid";
}

/** Creates a collection before any transaction needs it, or checks that an existing one compares ids by their bytes. */
async function prepareCollection(db: Db, name: string): Promise<void> {
  const [found] = await db.listCollections({ name }).toArray();
  if (found === undefined) return await createCollection(db, name);
  const { type, options } = found as { type?: string; options?: Document };
  if ((type ?? "collection") === "collection" && options?.["collation"] === undefined && options?.["capped"] !== true)
    return;
  throw new TroupeError(
    "invalid_config",
    "The collection of MongoDbVectorStore must not be a view or capped, and must have no collation. Use another collectionName.",
  );
}

async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (error) {
    // Another process created it first.
    if ((error as { code?: unknown }).code !== namespaceExists) throw error;
  }
}
