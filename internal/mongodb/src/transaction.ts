import { sleep } from "@troupe/core/kit";
import type { ClientSession, TransactionOptions } from "mongodb";

const snapshot: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority", journal: true },
  readPreference: "primary",
};

/** A MongoDB session for a transaction, and the milliseconds for which a commit with an unknown outcome is repeated. */
export type TransactionSession = { readonly session: ClientSession; readonly timeoutMs: number };

/**
 * Runs work in a transaction once: commits, or aborts and throws. After a conflict, the caller repeats the work with
 * all its reads, within the caller's own timeout; the driver's `withTransaction` would repeat it for two minutes.
 */
export async function runInTransaction<Result>(
  { session, timeoutMs }: TransactionSession,
  work: () => Promise<Result>,
): Promise<Result> {
  session.startTransaction(snapshot);
  try {
    const result = await work();
    // A commit is safe to repeat, because the server recognises a transaction that it has already committed.
    await repeatWhile(async () => await session.commitTransaction(), { isTransient: isUnknownCommit, timeoutMs });
    return result;
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction();
    throw error;
  }
}

const longestPauseMs = 100;

/** Options of `repeatWhile`: the errors after which work is repeated, and for how many milliseconds. */
export type RepeatOptions = { readonly isTransient: (error: unknown) => boolean; readonly timeoutMs: number };

/**
 * Repeats work while it fails with a transient error, with growing random pauses. Throws any other error immediately,
 * and the last transient error after `timeoutMs`.
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
 * The error of work that found a document changed by another writer since the work read it. The work wrote nothing and
 * is repeated.
 */
export class ConcurrentWriteError extends Error {
  override readonly name = "ConcurrentWriteError";
}

const [duplicateKey, writeConflict] = [11_000, 112];

/** Returns true if creating a document failed because it already existed. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === duplicateKey;
}

/** Returns true if work failed because of a concurrent write and wrote nothing, so that it can be repeated. */
export function isConflict(error: unknown): boolean {
  if (error instanceof ConcurrentWriteError || isDuplicate(error)) return true;
  // The error of a bulk write has no label, so its code is checked too.
  return hasLabel(error, "TransientTransactionError") || codeOf(error) === writeConflict;
}

function isUnknownCommit(error: unknown): boolean {
  return hasLabel(error, "UnknownTransactionCommitResult");
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

function hasLabel(error: unknown, label: string): boolean {
  const { errorLabels } = error as { errorLabels?: readonly string[] };
  return errorLabels?.includes(label) === true;
}
