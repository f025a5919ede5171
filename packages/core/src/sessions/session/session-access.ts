import type { BusyPolicy } from "../lock/busy-policy.ts";
import type { RunAttempt } from "../lock/queue-record.ts";
import type { SessionOwner } from "../storage/session-owner.ts";

/** The caller of a session, by default without tenant and user, and a signal that ends waiting for lease or storage. */
export type SessionAccess = { owner?: SessionOwner | undefined; signal?: AbortSignal | undefined };

/** Options of opening a session for a run. */
export type OpenOptions = SessionAccess & {
  /** True if the session's id was just created, so that looking for the session is unnecessary. */
  isNew?: boolean;
  /**
   * An attempt at a durable run. It takes over the queue position of an earlier attempt. The session may be opened
   * although it notes that this run waits for an answer.
   */
  run?: RunAttempt;
  /**
   * Cancels a durable run that waits for an answer in this session, instead of rejecting this run. @default "reject"
   */
  onWaiting?: "reject" | "cancel" | undefined;
  /** The policy for a session that another run holds, for this call only. @default the policy of the store */
  onBusy?: BusyPolicy["onBusy"] | undefined;
};
