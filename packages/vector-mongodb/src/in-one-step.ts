import { isConflict, repeatWhile, runInTransaction } from "@troupe-internal/mongodb";
import type { ClientSession } from "mongodb";
import type { OpenVectors } from "./open-vectors.ts";

/** The collections of a store, and the session of all requests in one step. */
export type SessionVectors = OpenVectors & { readonly session: ClientSession };

/**
 * Runs work in a transaction, so that it reads one state and all its writes take effect together. Repeats the work
 * while others change the same documents. A standalone server has no transactions, so there the work is only repeated.
 */
export async function inOneStep<Result>(
  vectors: OpenVectors,
  work: (vectors: SessionVectors) => Promise<Result>,
): Promise<Result> {
  const { isStandalone, timeoutMs } = vectors;
  const inSession = { ...vectors, session: vectors.startSession() };
  const once = async () => await work(inSession);
  try {
    return await repeatOnConflict(isStandalone ? once : async () => await runInTransaction(inSession, once), timeoutMs);
  } finally {
    await inSession.session.endSession();
  }
}

/** Repeats work that wrote nothing because of a concurrent write. */
export async function repeatOnConflict<Result>(work: () => Promise<Result>, timeoutMs: number): Promise<Result> {
  return await repeatWhile(work, { isTransient: isConflict, timeoutMs });
}
