import type { AppendOptions } from "../storage/storage-driver.ts";

/** What somebody has who came to the front of a line. */
export type Hold = {
  /** Whether somebody else may have had the session since the place was taken: what was read before is then old. */
  readonly hadToWait: boolean;
  /** What appends are to depend on, where other processes may take the session over. */
  readonly appends?: AppendOptions;
  /** Rejects as `conflict` when somebody else has taken over. Missing where nobody can. */
  readonly confirm?: () => Promise<void>;
  /** Says that the session is gone, so that nothing is kept of its line either. */
  readonly forget?: () => void;
};

/** A place in the line for a session. */
export type PlaceInLine = {
  /**
   * Resolves when it is known who is in line, where the storage has to be asked for that. What is read of the session from
   * then on is what the run may go by, unless it `hadToWait`.
   */
  readonly looked?: Promise<void>;
  /** Resolves when it is this one's turn; rejects as `conflict` or, when the signal aborts, as `cancelled`. */
  readonly granted: Promise<Hold>;
  /** Ends the turn or the wait. May be called more than once. */
  readonly leave: () => void;
};
