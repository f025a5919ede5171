import { TroupeError } from "@troupe/core";
import type { Db, Document, MongoClient, MongoClientOptions } from "mongodb";
import type { MongoFailures } from "./mongo-failure.ts";
import type { MongoSettings } from "./mongo-options.ts";
import type { MongoSession } from "./mongo-session.ts";

/** A connection to a server that can keep our promises. */
export type OpenCollection = {
  /** Does the work in a session of its own, which begins where those that ended before it were. */
  readonly inSession: <Result>(work: (session: MongoSession) => Promise<Result>) => Promise<Result>;
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** MongoDB 5.0, the first to read one state of a collection outside of a transaction. */
const leastWireVersion = 13;

const namespaceExists = 48;

/** Loads MongoDB's library, connects, and has the collection ready on a server that can keep our promises. */
export async function openCollection(settings: MongoSettings, failures: MongoFailures): Promise<OpenCollection> {
  const client = await createClient(settings, failures);
  try {
    const db = client.db(settings.dbName);
    checkServer(await db.command({ hello: 1 }));
    await haveCollection(db, settings.collectionName);
    const { collectionName, timeoutMs } = settings;
    return {
      inSession: sessionsOf(client, { records: db.collection(collectionName), timeoutMs }),
      ping: async () => void (await db.command({ ping: 1 })),
      close: async () => await client.close(),
    };
  } catch (error) {
    await client.close();
    throw failures.from(error);
  }
}

function sessionsOf(client: MongoClient, shared: Omit<MongoSession, "session">): OpenCollection["inSession"] {
  // Sends nothing: it only remembers the latest time that any of the others has seen.
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

/** What is said here wins over the uri: nobody can ask for writes that a failover forgets. */
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

function checkServer({ setName, msg, maxWireVersion }: Document): void {
  if (maxWireVersion < leastWireVersion)
    throw new TroupeError("invalid_config", "MongoStorage needs MongoDB 5.0 or later.");
  // A router of a sharded cluster says so; a server on its own says neither.
  if (setName !== undefined || msg === "isdbgrid") return;
  throw new TroupeError(
    "invalid_config",
    'MongoDB runs as a standalone server, which has no transactions: start it as a replica set, of which one server is enough ("mongod --replSet rs0", then "rs.initiate()" once in mongosh).',
  );
}

/** Made beforehand, since a transaction may not have to make it. One that is there must compare ids by their bytes. */
async function haveCollection(db: Db, name: string): Promise<void> {
  const [found] = await db.listCollections({ name }).toArray();
  if (found === undefined) return await createCollection(db, name);
  const { type, options } = found as { type?: string; options?: Document };
  if ((type ?? "collection") === "collection" && options?.["collation"] === undefined && options?.["capped"] !== true)
    return;
  throw new TroupeError(
    "invalid_config",
    "The collection of MongoStorage must be a plain one: no view, not capped, without a collation.",
  );
}

async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (error) {
    // Somebody else was faster.
    if ((error as { code?: unknown }).code !== namespaceExists) throw error;
  }
}
