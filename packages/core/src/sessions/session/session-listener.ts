import type { SessionOwner, UserOwner } from "../storage/session-owner.ts";
import type { StoredTurn } from "./turn-record.ts";

/**
 * Listener of a `SessionStore`. When a session or a user is deleted, it removes the records that its own storage keeps
 * for them, such as a memory.
 */
export type SessionListener = {
  forgetSession?(sessionId: string, owner: SessionOwner): Promise<void>;
  forgetUser?(user: UserOwner): Promise<void>;
  /** Called after turns of a session were deleted. `load` reads the newest remaining turns, oldest first. */
  forgetTurns?(sessionId: string, owner: SessionOwner, load: () => Promise<StoredTurn[]>): Promise<void>;
  /**
   * Cancels a durable run that waits for an answer, so that another run can begin. Returns true if the waiting run is
   * over, and false if its process was asked to end it.
   */
  cancelWaiting?(runId: string): Promise<boolean>;
};
