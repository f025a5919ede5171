import { TroupeError } from "@troupe/core";
import type { CollectionOptions, Db, Document, MongoClient, MongoClientOptions } from "mongodb";
import type { MongoFailures } from "./mongo-failure.ts";
import type { MongoSettings } from "./mongo-options.ts";
import type { MongoSession, StoredRecord } from "./stored-record.ts";

/**
 * A collection on a connected server, with the functions through which `MongoDatabase` uses it. `close` disconnects.
 */
export type OpenCollection = {
  readonly timeoutMs: number;
  /** True for a server that is in no replica set and no sharded cluster: it has no transactions and no snapshots. */
  readonly isStandalone: boolean;
  /** Does the work in a session of its own, which sees at least what the sessions saw that ended before it. */
  readonly inSession: <Result>(work: (session: MongoSession) => Promise<Result>) => Promise<Result>;
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** MongoDB 5.0, the first version with snapshot reads outside of transactions. */
const leastWireVersion = 13;

/** A standalone server has no majority to read from or to write to. */
const standaloneOptions: CollectionOptions = { readConcern: { level: "local" }, writeConcern: { w: 1, journal: true } };

const namespaceExists = 48;

/**
 * Loads MongoDB's library, connects, checks the server, and creates the collection if it does not exist. Closes the
 * connection and throws a `TroupeError` when one of these fails.
 */
export async function openCollection(settings: MongoSettings, failures: MongoFailures): Promise<OpenCollection> {
  const client = await createClient(settings, failures);
  try {
    const db = client.db(settings.dbName);
    const isStandalone = checkServer(await db.command({ hello: 1 }));
    await prepareCollection(db, settings.collectionName);
    const { collectionName, timeoutMs } = settings;
    const records = db.collection<StoredRecord>(collectionName, isStandalone ? standaloneOptions : {});
    return {
      timeoutMs,
      isStandalone,
      inSession: sessionsOf(client, { records, timeoutMs }),
      ping: async () => void (await db.command({ ping: 1 })),
      close: async () => await client.close(),
    };
  } catch (error) {
    await client.close();
    throw failures.from(error);
  }
}

function sessionsOf(client: MongoClient, shared: Omit<MongoSession, "session">): OpenCollection["inSession"] {
  // A session without requests, which keeps the latest operation time of the others.
  const clock = client.startSession();
  return async (work) => {
    const session = client.startSession();
    if (clock.operationTime !== undefined) session.advanceOperationTime(clock.operationTime);
    try {
      return await work({ ...shared, session });
    } finally {
      if (session.operationTime !== undefined) clock.advanceOperationTime(session.operationTime);
      await session.endSession();
    }
  };
}

async function createClient({ uri, timeoutMs }: MongoSettings, failures: MongoFailures): Promise<MongoClient> {
  const { MongoClient } = await import("mongodb");
  try {
    return new MongoClient(uri, clientOptions(timeoutMs));
  } catch (error) {
    throw failures.fromUri(error);
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
    throw new TroupeError("invalid_config", "MongoStorage needs MongoDB 5.0 or later. Upgrade the server.");
  // A router of a sharded cluster answers isdbgrid; a standalone server has neither.
  return setName === undefined && msg !== "isdbgrid";
}

/** Creates the collection before any transaction needs it, or checks that an existing one compares ids by their bytes. */
async function prepareCollection(db: Db, name: string): Promise<void> {
  const [found] = await db.listCollections({ name }).toArray();
  if (found === undefined) return await createCollection(db, name);
  const { type, options } = found as { type?: string; options?: Document };
  if ((type ?? "collection") === "collection" && options?.["collation"] === undefined && options?.["capped"] !== true)
    return;
  throw new TroupeError(
    "invalid_config",
    "The collection of MongoStorage must not be a view or capped, and must have no collation. Use another collection.",
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
