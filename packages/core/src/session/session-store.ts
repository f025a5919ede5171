import type { StorageDriver } from "../storage/storage-driver.ts";
import { bindSession, findSession, noSession } from "./bind-session.ts";
import type { Claim } from "./bind-session.ts";
import { checkBusyPolicy } from "./check-busy-policy.ts";
import { HeldTurn } from "./held-turn.ts";
import { listSessions, ownSessions } from "./list-sessions.ts";
import type { SessionPage } from "./list-sessions.ts";
import { OpenSession } from "./open-session.ts";
import { openTurnLog } from "./open-turn-log.ts";
import { checkAfter, checkLimit } from "./page.ts";
import type { PageOptions } from "./page.ts";
import { removeAll, removeSession } from "./remove-session.ts";
import { checkStoredSessionId } from "./session-id.ts";
import { toSessionInfo } from "./session-info.ts";
import type { SessionInfo } from "./session-info.ts";
import { factsOf, namespaces, sessionKey, sessionOfKey } from "./session-keys.ts";
import { checkOwner } from "./session-owner.ts";
import type { SessionOwner } from "./session-owner.ts";
import type { StoredTurn } from "./turn-log.ts";
import { turnQueueOf } from "./turn-queue-of.ts";
import type { BusyPolicy, TurnQueue } from "./turn-queue.ts";
import { untilAborted } from "./until-aborted.ts";

/** What the caller of a session says: who they are, and when to give up. */
export type SessionAccess = { owner?: SessionOwner; signal?: AbortSignal | undefined };

/** Some turns, and behind which to go on when there are more. */
export type TurnPage = { turns: StoredTurn[]; next?: number };

/** Something kept beside sessions, in a storage of its own, that is to go with them. */
export type SessionCompanion = {
  forgetSession?(sessionId: string, owner: SessionOwner): Promise<void>;
  forgetUser?(userId: string, tenantId: string | undefined): Promise<void>;
};

/** The sessions in a storage. All stores over one driver hold the same sessions and share their queues. */
export class SessionStore {
  readonly #driver: StorageDriver;
  readonly #queue: TurnQueue;
  readonly #policy: BusyPolicy;
  readonly #companions: readonly SessionCompanion[];

  constructor(driver: StorageDriver, policy: Partial<BusyPolicy> = {}, companions: readonly SessionCompanion[] = []) {
    this.#driver = driver;
    this.#queue = turnQueueOf(driver);
    this.#companions = companions;
    this.#policy = checkBusyPolicy(policy);
  }

  /**
   * Takes the session's turn, after all who came before, and makes the session the owner's when it is new. To anyone but
   * its owner it is `not_found`; when it is too busy, `conflict`. The session is to be released in a `finally`.
   */
  async open(sessionId: string, access: SessionAccess = {}): Promise<OpenSession> {
    const claim = claimOf(sessionId, access);
    const { held, session } = await this.#take(claim, access.signal);
    try {
      const bound = session ?? (await held.write(() => bindSession(this.#driver, claim), access.signal));
      const log = openTurnLog(this.#driver, claim.key);
      return new OpenSession({ sessionId, session: bound, log, held, isNew: session === null });
    } catch (error) {
      held.release();
      throw error;
    }
  }

  /** The caller's own sessions in the order of their ids. One that has no user is known to those who know its id only. */
  async listSessions(owner: SessionOwner, options: PageOptions<string> = {}): Promise<SessionPage> {
    const limit = checkLimit(options.limit);
    const after = options.after === undefined ? undefined : checkStoredSessionId(options.after);
    return await listSessions(this.#driver, { owner: checkOwner(owner), limit, after });
  }

  /** What is known of a session without its turns. */
  async readSession(sessionId: string, access: SessionAccess = {}): Promise<SessionInfo> {
    const session = await untilAborted(() => this.#find(claimOf(sessionId, access)), access.signal);
    return toSessionInfo(sessionId, session);
  }

  /** Some turns of a session, oldest first. Nothing waits for it, and it waits for no run. */
  async readTurns(sessionId: string, options: SessionAccess & PageOptions<number> = {}): Promise<TurnPage> {
    const claim = claimOf(sessionId, options);
    const limit = checkLimit(options.limit);
    const after = checkAfter(options.after);
    const read = async () => {
      const session = await this.#find(claim);
      return await openTurnLog(this.#driver, claim.key).after(after, limit + 1, session);
    };
    const found = await untilAborted(read, options.signal);
    const turns = found.slice(0, limit);
    const last = turns.at(-1);
    return found.length > limit && last !== undefined ? { turns, next: last.seq } : { turns };
  }

  /** Removes a session with its turns, its memory and its members' sessions, once the runs that came before are done. */
  async deleteSession(sessionId: string, access: SessionAccess = {}): Promise<void> {
    const claim = claimOf(sessionId, access);
    const { held, session } = await this.#take(claim, access.signal);
    try {
      if (session === null) throw noSession(sessionId);
      await held.write(() => this.#removeAll(claim.key, session.owner), access.signal);
    } finally {
      held.release();
    }
  }

  /** Removes a user's sessions, memory and facts. When it rejects, something is left: it can be called again. */
  async deleteUser(userId: string, tenantId?: string): Promise<void> {
    const owner = checkOwner({ tenantId, userId });
    for await (const { key } of ownSessions(this.#driver, owner)) await this.#remove(key, owner);
    await removeAll(this.#driver, namespaces.facts, factsOf(tenantId, userId));
    for (const companion of this.#companions) await companion.forgetUser?.(userId, tenantId);
  }

  /** Removes what is known to be the caller's, in its turn. */
  async #remove(key: string, owner: SessionOwner): Promise<void> {
    const place = this.#queue.join(key, this.#policy);
    const held = new HeldTurn(place.leave);
    try {
      await place.granted;
      await held.write(() => this.#removeAll(key, owner));
    } finally {
      held.release();
    }
  }

  /** The session itself goes last: as long as it is there, a deletion that failed can be repeated. */
  async #removeAll(key: string, owner: SessionOwner): Promise<void> {
    for (const companion of this.#companions) await companion.forgetSession?.(sessionOfKey(key), owner);
    await removeSession(this.#driver, key);
  }

  /** Takes a place in the line at once, and waits for the turn. */
  async #take(claim: Claim, signal: AbortSignal | undefined) {
    const place = this.#queue.join(claim.key, { ...this.#policy, signal });
    const held = new HeldTurn(place.leave);
    const find = () => findSession(this.#driver, claim);
    try {
      // A stranger is told at once, and never that the session is busy: that would say that it exists.
      if (!place.isFirst) await untilAborted(find, signal);
      await place.granted;
      return { held, session: await untilAborted(find, signal) };
    } catch (error) {
      held.release();
      throw error;
    }
  }

  async #find(claim: Claim) {
    const session = await findSession(this.#driver, claim);
    if (session === null) throw noSession(claim.sessionId);
    return session;
  }
}

function claimOf(sessionId: string, { owner = {} }: SessionAccess): Claim {
  const checked = checkOwner(owner);
  return { sessionId, owner: checked, key: sessionKey(checked.tenantId, checkStoredSessionId(sessionId)) };
}
