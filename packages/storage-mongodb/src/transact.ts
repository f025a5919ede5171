import { sleep } from "@troupe/core/adapter";
import type { TransactionOptions } from "mongodb";
import type { MongoSession } from "./stored-record.ts";

const snapshot: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority", journal: true },
  readPreference: "primary",
};

/**
 * Does the work in a transaction, once. The caller repeats it with everything it read before, within its own timeout:
 * the driver's `withTransaction` repeats for two minutes.
 */
export async function transact({ session, timeoutMs }: MongoSession, work: () => Promise<void>): Promise<void> {
  session.startTransaction(snapshot);
  try {
    await work();
    // The server knows a transaction that it has committed already.
    await repeatWhile(async () => await session.commitTransaction(), { isTransient: isUnknownCommit, timeoutMs });
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction();
    throw error;
  }
}

const longestPauseMs = 100;

/** The errors after which work is repeated, and for how long. */
export type Repetition = { readonly isTransient: (error: unknown) => boolean; readonly timeoutMs: number };

/** Repeats the work until it succeeds, fails for good or runs out of time, with random pauses that double. */
export async function repeatWhile<Result>(work: () => Promise<Result>, repetition: Repetition): Promise<Result> {
  const deadline = performance.now() + repetition.timeoutMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!repetition.isTransient(error) || performance.now() > deadline) throw error;
      await sleep(Math.random() * pauseMs);
    }
  }
}

/** Another writer changed a record after the work had read it. */
export class ConcurrentWriteError extends Error {
  override readonly name = "ConcurrentWriteError";
}

const duplicateKey = 11_000;

/** Tells if a record to be created existed already. */
export function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown }).code === duplicateKey;
}

/** Tells if the work wrote nothing because of a concurrent write, so that it can be repeated. */
export function isConflict(error: unknown): boolean {
  return error instanceof ConcurrentWriteError || isDuplicate(error) || hasLabel(error, "TransientTransactionError");
}

function isUnknownCommit(error: unknown): boolean {
  return hasLabel(error, "UnknownTransactionCommitResult");
}

function hasLabel(error: unknown, label: string): boolean {
  const { errorLabels } = error as { errorLabels?: readonly string[] };
  return errorLabels?.includes(label) === true;
}
