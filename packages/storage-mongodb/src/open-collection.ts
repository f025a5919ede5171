import { openMongo } from "@troupe-internal/mongodb";
import type { MongoFailures } from "@troupe-internal/mongodb";
import type { AggregationCursor, MongoClient } from "mongodb";
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
  /** Makes a change stream, which tells no more of a change than that it happened, and takes one connection while it is read. */
  readonly changes: (signal: AbortSignal) => AggregationCursor;
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The longest that the server waits for a change before it answers a change stream that there is none, in milliseconds. */
const longestAwaitMs = 1000;

/** Connects, and returns the collection. Throws a `TroupeError` when that fails, and leaves no connection then. */
export async function openCollection(settings: MongoSettings, failures: MongoFailures): Promise<OpenCollection> {
  const { collectionName, timeoutMs } = settings;
  const place = { ...settings, owner: "MongoStorage", collectionNames: [collectionName] };
  return await openMongo(place, failures, async ({ client, db, isStandalone, collectionOptions }) => {
    const records = db.collection<StoredRecord>(collectionName, collectionOptions);
    // An idle server answers a change stream well before the request would count as unanswered.
    const maxAwaitTimeMS = Math.min(longestAwaitMs, Math.ceil(timeoutMs / 2));
    return {
      timeoutMs,
      isStandalone,
      inSession: sessionsOf(client, { records, timeoutMs }),
      changes: (signal) =>
        records.aggregate([{ $changeStream: {} }, { $project: { _id: 1 } }], { signal, maxAwaitTimeMS }),
      ping: async () => void (await db.command({ ping: 1 })),
      close: async () => await client.close(),
    };
  });
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
