import { untilAborted } from "../../base/async/until-aborted.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunAttempt } from "../lock/queue-record.ts";
import { clockOf } from "../lock/session-queues.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { Json } from "../storage/json.ts";
import type { SessionOwner } from "../storage/session-owner.ts";
import type { ListenedSessions } from "./delete-session.ts";
import { openAcquired } from "./acquired-session.ts";
import type { AcquiredSession } from "./acquired-session.ts";
import { findSession } from "./create-session.ts";
import type { OpenOptions } from "./session-access.ts";
import type { OpenedSession } from "./opened-session.ts";
import { indexWrites } from "./recent-index.ts";
import { namespaces, ownerPrefix, turnKey } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import { newSessionRecord } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";
import { withTurnCount, writeTurnCount } from "./turn-count.ts";
import { firstInput, toStoredTurn } from "./turn-record.ts";
import type { TurnRecord } from "./turn-record.ts";

/** The session to open, and the caller who opens it. */
type Opening = { readonly ref: SessionRef; readonly access: OpenOptions };

type Insert = { namespace: string; key: string; value: Json };

/**
 * A new session in memory. Its lease is acquired and its record is stored when its first turn is stored, or when
 * another call needs the session.
 */
export class DeferredSession implements OpenedSession {
  /** The record of the new session, which has no turns. It is stored together with the first turn. */
  readonly session: SessionRecord;
  readonly isNew = true;
  readonly #sessions: ListenedSessions;
  readonly #driver: InMemoryStorage;
  readonly #ref: SessionRef;
  readonly #run: RunAttempt | undefined;
  #held: Promise<AcquiredSession> | undefined;
  #isStored = false;
  #isReleased = false;

  private constructor(sessions: ListenedSessions, driver: InMemoryStorage, { ref, access }: Opening) {
    this.#sessions = sessions;
    this.#driver = driver;
    this.#ref = ref;
    this.#run = access.run;
    this.session = newSessionRecord(ref.owner, clockOf(driver));
  }

  /**
   * Opens a session whose id was just created. Returns undefined if the session is in use, or if other processes may
   * use the storage, because they would not find the session. Resolves with undefined if the session exists after all.
   */
  static open(
    sessions: ListenedSessions,
    ref: SessionRef,
    access: OpenOptions,
  ): Promise<DeferredSession | undefined> | undefined {
    const { driver, queues } = sessions;
    if (access.isNew !== true) return undefined;
    if (!(driver instanceof InMemoryStorage) || queues.isBusy(ref.key)) return undefined;
    return DeferredSession.#openNew(sessions, driver, { ref, access });
  }

  static async #openNew(
    sessions: ListenedSessions,
    driver: InMemoryStorage,
    { ref, access }: Opening,
  ): Promise<DeferredSession | undefined> {
    const found = await untilAborted(() => findSession(driver, ref), access.signal);
    if (found !== null || sessions.queues.isBusy(ref.key)) return undefined;
    const session = new DeferredSession(sessions, driver, { ref, access });
    sessions.queues.deferred.set(ref.key, session);
    return session;
  }

  /**
   * Acquires the lease, before any call that comes later, and creates the session if it is not stored yet. If another
   * call that needed the session failed at that, this call tries again.
   */
  async hold(): Promise<AcquiredSession> {
    if (this.#held === undefined) return await this.#acquire();
    try {
      return await this.#held;
    } catch {
      return await (this.#held ?? this.#acquire());
    }
  }

  /** Resolves when the session is stored, for another call that needs it. Does not reject. */
  async settle(): Promise<void> {
    await (this.#held ?? this.#acquire()).catch(() => {
      // The session's own run tries to acquire the session again, and receives the failure.
    });
  }

  #acquire(): Promise<AcquiredSession> {
    if (this.#isReleased) {
      return Promise.reject(new TroupeError("internal", "This session was released: open it again to write."));
    }
    const held = openAcquired(this.#sessions, this.#ref, {
      access: { owner: this.#ref.owner, isNew: !this.#isStored, ...(this.#run !== undefined && { run: this.#run }) },
      fresh: this.session,
    });
    this.#held = held;
    held.catch(() => {
      if (this.#held === held) this.#held = undefined;
    });
    return held;
  }

  /**
   * Stores the session with its first turn in one step, and returns its record. Returns undefined without having stored
   * anything if the session is in use or already has a turn: the turn is then appended under the lease.
   */
  storeFirst(turn: TurnRecord): Promise<SessionRecord | undefined> | undefined {
    const isFree = this.#held === undefined && !this.#isStored && !this.#isReleased;
    return isFree ? this.#store(turn) : undefined;
  }

  /** Gives the session up, and stores it without turns if it was not stored before. May be called more than once. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#sessions.queues.deferred.delete(this.#ref.key);
    if (this.#held !== undefined) void this.#releaseHeld(this.#held);
    else if (!this.#isStored) this.#insert(this.session).catch(() => {});
  }

  async #releaseHeld(held: Promise<AcquiredSession>): Promise<void> {
    try {
      (await held).release();
    } catch {
      // If no lease was acquired, there is nothing to release.
    }
  }

  async #store(turn: TurnRecord): Promise<SessionRecord | undefined> {
    const counted = { seq: 1, input: firstInput(turn) };
    const session = withTurnCount(this.session, counted, clockOf(this.#driver));
    const key = turnKey(this.#ref.key, counted.seq);
    const first = { namespace: namespaces.turns, key, value: toStoredTurn(turn) };
    const inserted = await this.#insert(session, first);
    if (inserted.at(-1) !== true) return undefined;
    if (inserted.at(-2) === true) return session;
    return await writeTurnCount(this.#driver, this.#ref, { known: this.session, turn: counted });
  }

  /** Inserts the session's entry in the list of its owner, its record, and its first turn if there is one. */
  async #insert(session: SessionRecord, turn?: Insert): Promise<boolean[]> {
    const record = { namespace: namespaces.sessions, key: this.#ref.key, value: session as unknown as Json };
    const entries = indexWrites(this.#ref, null, session) as Insert[];
    this.#isStored = true;
    try {
      return await this.#driver.insertAll([...entries, record, ...(turn === undefined ? [] : [turn])]);
    } catch (error) {
      this.#isStored = false;
      throw error;
    }
  }
}

/**
 * Resolves when a deferred session is stored. Returns undefined if the session is not deferred, so that the caller can
 * join its queue without waiting.
 */
export function settled({ queues }: ListenedSessions, { key }: SessionRef): Promise<void> | undefined {
  const session = queues.deferred.get(key);
  return session?.settle();
}

/** Resolves when all deferred sessions of an owner are stored. */
export async function settledOf({ queues }: ListenedSessions, owner: SessionOwner): Promise<void> {
  const prefix = ownerPrefix(owner);
  const own = [...queues.deferred].filter(([key]) => key.startsWith(prefix));
  await Promise.all(own.map(([, session]) => session.settle()));
}
