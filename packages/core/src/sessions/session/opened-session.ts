import type { Lease } from "../lock/lease.ts";
import type { PartStore } from "./part-store.ts";
import type { SessionRecord } from "./session-record.ts";
import type { TurnLog } from "./turn-log-type.ts";
import type { TurnRecord } from "./turn-record.ts";

/** A session under its lease: its turns, their parts, and the lease. */
export interface HeldSession {
  readonly log: TurnLog;
  readonly parts: PartStore;
  readonly lease: Lease;
}

/** A session that a run has opened: under its lease, or new with a deferred lease. */
export interface OpenedSession {
  readonly session: SessionRecord;
  /** True if the session has no turns yet. */
  readonly isNew: boolean;
  /** Returns the session under its lease. Acquires a deferred lease first. */
  hold(): HeldSession | Promise<HeldSession>;
  /** Stores a deferred session with its first turn. Returns or resolves with undefined if nothing was stored. */
  storeFirst(turn: TurnRecord): Promise<SessionRecord | undefined> | undefined;
  /** Gives up the lease. May be called more than once. */
  release(): void;
}
