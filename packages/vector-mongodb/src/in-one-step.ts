import { sleep } from "@troupe/core/kit";
import type { ClientSession, TransactionOptions } from "mongodb";
import type { OpenVectors } from "./open-vectors.ts";

/** The collections of a store, and the session of all requests of one step. */
export type SessionVectors = OpenVectors & { readonly session: ClientSession };

const snapshot: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority", journal: true },
  readPreference: "primary",
};

/**
 * Does the work in a transaction, so that its reads see one state and its writes happen at once; it is repeated while
 * others change the same documents. On a standalone server, which has no transactions, it is only repeated.
 */
export async function inOneStep<Result>(
  vectors: OpenVectors,
  work: (vectors: SessionVectors) => Promise<Result>,
): Promise<Result> {
  const { isStandalone, timeoutMs } = vectors;
  const inSession = { ...vectors, session: vectors.startSession() };
  const once = async () => await work(inSession);
  try {
    return await repeatOnConflict(isStandalone ? once : async () => await inTransaction(inSession, once), timeoutMs);
  } finally {
    await inSession.session.endSession();
  }
}

async function inTransaction<Result>(
  { session, timeoutMs }: SessionVectors,
  work: () => Promise<Result>,
): Promise<Result> {
  session.startTransaction(snapshot);
  try {
    const result = await work();
    // The server knows a transaction that it has committed already.
    await repeatWhile(async () => await session.commitTransaction(), { isTransient: isUnknownCommit, timeoutMs });
    return result;
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction();
    throw error;
  }
}

/** Repeats work that wrote nothing because of a concurrent write. */
export async function repeatOnConflict<Result>(work: () => Promise<Result>, timeoutMs: number): Promise<Result> {
  return await repeatWhile(work, { isTransient: isConflict, timeoutMs });
}

const longestPauseMs = 100;

type RepeatOptions = { readonly isTransient: (error: unknown) => boolean; readonly timeoutMs: number };

/**
 * Repeats the work while it fails with a transient error, with growing random pauses. Throws any other error at once,
 * and the last transient one when `timeoutMs` is over.
 */
async function repeatWhile<Result>(work: () => Promise<Result>, repetition: RepeatOptions): Promise<Result> {
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

/** An error of work that found a document changed by another writer after reading it. It wrote nothing and is repeated. */
export class ConcurrentWriteError extends Error {
  override readonly name = "ConcurrentWriteError";
}

const [duplicateKey, writeConflict] = [11_000, 112];

/** Tells if creating a document failed because it existed already. */
export function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown }).code === duplicateKey;
}

function isConflict(error: unknown): boolean {
  if (error instanceof ConcurrentWriteError || isDuplicate(error)) return true;
  // An error of many writes at once has no label.
  return hasLabel(error, "TransientTransactionError") || (error as { code?: unknown }).code === writeConflict;
}

function isUnknownCommit(error: unknown): boolean {
  return hasLabel(error, "UnknownTransactionCommitResult");
}

function hasLabel(error: unknown, label: string): boolean {
  const { errorLabels } = error as { errorLabels?: readonly string[] };
  return errorLabels?.includes(label) === true;
}
