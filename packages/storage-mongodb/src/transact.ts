import type { TransactionOptions } from "mongodb";
import { isUndecided } from "./disturbance.ts";
import type { MongoSession } from "./mongo-session.ts";
import { repeatWhile } from "./repeat-while.ts";

const snapshot: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority", journal: true },
  readPreference: "primary",
};

/**
 * Does the work in a transaction, once: whoever calls does all of it again that rests on what others have changed. The
 * library's own way to begin again goes on for two minutes.
 */
export async function transact({ session, timeoutMs }: MongoSession, work: () => Promise<void>): Promise<void> {
  session.startTransaction(snapshot);
  try {
    await work();
    await repeatWhile(async () => await session.commitTransaction(), { isPassing: isUndecided, timeoutMs });
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction();
    throw error;
  }
}
