import { untilAborted } from "../../base/async/until-aborted.ts";
import type { BusyPolicy, JoinOptions } from "../lock/busy-policy.ts";
import type { Lease } from "../lock/lease.ts";
import type { KeyedQueues } from "../lock/session-queues.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { findSession } from "./create-session.ts";
import type { SessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";

/** The sessions of a storage: their driver, their queues, and the policy for a busy session. */
export type SessionPlace = {
  readonly driver: StorageDriver;
  readonly queues: KeyedQueues;
  readonly policy: BusyPolicy;
};

/**
 * Options of `acquireSession`: a busy policy for this call only, a signal, and `isKnownNew`, which saves a read if the
 * session is known not to exist.
 */
type AcquireOptions = Partial<Omit<JoinOptions, "onBusy">> & {
  onBusy?: JoinOptions["onBusy"] | undefined;
  isKnownNew?: boolean;
};

/** Joins the queue of a session immediately, waits for the lease, and reads the session's record. */
export async function acquireSession(
  { driver, queues, policy }: SessionPlace,
  ref: SessionRef,
  { isKnownNew = false, onBusy = policy.onBusy, ...own }: AcquireOptions,
): Promise<{ lease: Lease; session: SessionRecord | null }> {
  const { signal } = own;
  const position = queues.join(ref.key, { ...policy, ...own, onBusy, isNew: isKnownNew });
  const find = () => findSession(driver, ref);
  try {
    await position.known;
    // The session is read in parallel with the wait for the lease: only a run that had to wait reads it again.
    const found = isKnownNew ? null : await untilAborted(find, signal);
    const lease = await position.granted;
    return { lease, session: lease.hadToWait ? await untilAborted(find, signal) : found };
  } catch (error) {
    position.leave();
    throw error;
  }
}
