import { sleep } from "@troupe/core/kit";
import type { TransactionOptions } from "mongodb";
import type { MongoSession } from "./stored-record.ts";

const snapshot: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority", journal: true },
  readPreference: "primary",
};

/**
 * Does the work in a transaction, once: commits, or aborts and throws. On a conflict the caller repeats it with
 * everything it read before, within its own timeout: the driver's `withTransaction` repeats for two minutes. `timeoutMs`
 * bounds the repetition of a commit whose outcome is unknown.
 */
export async function runInTransaction({ session, timeoutMs }: MongoSession, work: () => Promise<void>): Promise<void> {
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

/** For `repeatWhile`: the errors after which work is repeated, and for how many milliseconds. */
export type RepeatOptions = { readonly isTransient: (error: unknown) => boolean; readonly timeoutMs: number };

/**
 * Repeats the work while it fails with a transient error, with growing random pauses. Throws any other error at once,
 * and the last transient one when `timeoutMs` is over.
 */
export async function repeatWhile<Result>(work: () => Promise<Result>, repetition: RepeatOptions): Promise<Result> {
  const endsAt = performance.now() + repetition.timeoutMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!repetition.isTransient(error) || performance.now() > endsAt) throw error;
      await sleep(Math.random() * pauseMs);
    }
  }
}

/**
 * An error of work that found a record changed by another writer after reading it. It wrote nothing and is repeated.
 */
export class ConcurrentWriteError extends Error {
  override readonly name = "ConcurrentWriteError";
}

const duplicateKey = 11_000;

/** Tells if creating a record failed because it existed already. */
export function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown }).code === duplicateKey;
}

/** Tells if work failed because of a concurrent write and wrote nothing, so that it can be repeated. */
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
