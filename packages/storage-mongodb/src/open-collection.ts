import { openMongo } from "@troupe-internal/mongodb";
import type { MongoFailures } from "@troupe-internal/mongodb";
import type { AggregationCursor, MongoClient } from "mongodb";
import type { MongoSettings } from "./mongo-options.ts";
import type { MongoSession, StoredRecord } from "./stored-record.ts";

/** A collection on a connected server, with the functions that `MongoDatabase` calls. `close` disconnects. */
export type OpenCollection = {
  readonly timeoutMs: number;
  /** True for a server outside of replica sets and sharded clusters, which has no transactions and no snapshots. */
  readonly isStandalone: boolean;
  /** Performs the work in a new MongoDB session, which sees all writes that earlier sessions saw before they ended. */
  readonly inSession: <Result>(work: (session: MongoSession) => Promise<Result>) => Promise<Result>;
  /** Makes a change stream that only reports that a change happened. It occupies one connection while it is read. */
  readonly changes: (signal: AbortSignal) => AggregationCursor;
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Longest time in milliseconds that the server waits for a change before it answers a change stream request without a
 * change.
 */
const longestAwaitMs = 1000;

/** Connects to MongoDB, and returns the collection. If that fails, throws a `TroupeError` and closes the connection. */
export async function openCollection(settings: MongoSettings, failures: MongoFailures): Promise<OpenCollection> {
  const { collectionName, timeoutMs } = settings;
  const place = { ...settings, owner: "MongoStorage", collectionNames: [collectionName] };
  return await openMongo(place, failures, async ({ client, db, isStandalone, collectionOptions }) => {
    const records = db.collection<StoredRecord>(collectionName, collectionOptions);
    // Without changes, the server must answer a change stream request well before the request counts as unanswered.
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
  // This session sends no requests. It only stores the latest operation time of the other sessions.
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
