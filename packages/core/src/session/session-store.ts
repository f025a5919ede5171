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
import type { Hold } from "./place-in-line.ts";
import { removeAll, removeSession } from "./remove-session.ts";
import { checkStoredSessionId } from "./session-id.ts";
import { toSessionInfo } from "./session-info.ts";
import type { SessionInfo } from "./session-info.ts";
import { factsOf, namespaces, sessionKey, sessionOfKey } from "./session-keys.ts";
import { checkOwner } from "./session-owner.ts";
import type { SessionOwner } from "./session-owner.ts";
import type { StoredTurn } from "./turn-log.ts";
import { sessionLinesOf } from "./turn-queue-of.ts";
import type { BusyPolicy, Lines } from "./turn-queue.ts";
import { untilAborted } from "../async/until-aborted.ts";

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
  readonly #lines: Lines;
  readonly #policy: BusyPolicy;
  readonly #companions: readonly SessionCompanion[];

  constructor(driver: StorageDriver, policy: Partial<BusyPolicy> = {}, companions: readonly SessionCompanion[] = []) {
    this.#driver = driver;
    this.#lines = sessionLinesOf(driver);
    this.#companions = companions;
    this.#policy = checkBusyPolicy(policy);
  }

  /** One store for each storage of these, in their order; what any of them keeps beside its sessions goes with them. */
  static join(stores: Iterable<SessionStore>): SessionStore[] {
    const joined = new Map<StorageDriver, SessionStore>();
    for (const store of stores) joined.set(store.#driver, store.#behind(joined.get(store.#driver)));
    return [...joined.values()];
  }

  /**
   * Takes the session's turn, after all who came before, and makes the session the owner's when it is new. To anyone but
   * its owner it is `not_found`; when it is too busy, `conflict`. The session is to be released in a `finally`.
   */
  async open(sessionId: string, access: SessionAccess = {}): Promise<OpenSession> {
    const claim = claimOf(sessionId, access);
    const { held, hold, session } = await this.#take(claim, access.signal);
    try {
      const bind = () => bindSession(this.#driver, claim);
      const bound = session === null ? await held.write(bind, access.signal) : { session, isNew: false };
      return new OpenSession({ ...bound, sessionId, log: openTurnLog(this.#driver, claim.key, hold.appends), held });
    } catch (error) {
      held.release();
      throw error;
    }
  }

  /** Resolves when the storage can be used; one that cannot tell is taken for usable. */
  async ping(): Promise<void> {
    await this.#driver.ping?.();
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
    const { held, hold, session } = await this.#take(claim, access.signal);
    try {
      if (session === null) {
        hold.forget?.();
        throw noSession(sessionId);
      }
      await held.write(() => this.#removeAll(hold, claim.key, session.owner), access.signal);
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

  #behind(other: SessionStore | undefined): SessionStore {
    if (other === undefined) return this;
    return new SessionStore(this.#driver, other.#policy, [...new Set([...other.#companions, ...this.#companions])]);
  }

  /** Removes what is known to be the caller's, in its turn. */
  async #remove(key: string, owner: SessionOwner): Promise<void> {
    const place = this.#lines.join(key, this.#policy);
    const held = new HeldTurn(place.leave);
    try {
      const hold = await place.granted;
      await held.write(() => this.#removeAll(hold, key, owner));
    } finally {
      held.release();
    }
  }

  /** The session itself goes last: as long as it is there, a deletion that failed can be repeated. */
  async #removeAll({ confirm, forget }: Hold, key: string, owner: SessionOwner): Promise<void> {
    for (const companion of this.#companions) await companion.forgetSession?.(sessionOfKey(key), owner);
    await removeSession({ driver: this.#driver, confirm }, key);
    forget?.();
  }

  /** Takes a place in the line at once, and waits for the turn. */
  async #take(claim: Claim, signal: AbortSignal | undefined) {
    const place = this.#lines.join(claim.key, { ...this.#policy, signal });
    const held = new HeldTurn(place.leave);
    const find = () => findSession(this.#driver, claim);
    try {
      await place.looked;
      // A stranger is told at once, and never that the session is busy: that would say that it exists.
      const found = await untilAborted(find, signal);
      const hold = await place.granted;
      return { held, hold, session: hold.hadToWait ? await untilAborted(find, signal) : found };
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
