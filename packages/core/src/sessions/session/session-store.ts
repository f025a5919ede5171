import { BackgroundWork } from "../../base/async/background-work.ts";
import { untilAborted } from "../../base/async/until-aborted.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { OpenOptions, SessionAccess } from "./session-access.ts";
import { checkBusyPolicy } from "../lock/busy-policy.ts";
import type { BusyPolicy } from "../lock/busy-policy.ts";
import { sessionQueuesOf } from "../lock/session-queues.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { openAcquired } from "./acquired-session.ts";
import { changeSession, contended } from "./change-session.ts";
import { DeferredSession, settled, settledOf } from "./deferred-session.ts";
import { deleteSession, deleteTurns, deleteUser } from "./delete-session.ts";
import type { ListenedSessions } from "./delete-session.ts";
import { findLiveSession, requireSession } from "./create-session.ts";
import { forkSession } from "./fork-session.ts";
import type { SessionRef } from "./session-keys.ts";
import { listSessions } from "./list-sessions.ts";
import type { SessionPage } from "./list-sessions.ts";
import type { SessionListener } from "./session-listener.ts";
import { checkTitle } from "./session-title.ts";
import { OpenSession } from "./open-session.ts";
import { SessionShares } from "./session-shares.ts";
import { checkPartIndex, checkPageLimit, checkSessionCursor, checkTurnCursor, checkTurnNumber } from "./page.ts";
import type { PageOptions } from "./page.ts";
import { checkStoredSessionId } from "./session-id.ts";
import { namespaces, sessionRef } from "./session-keys.ts";
import { checkOwner, toUserOwner } from "../storage/session-owner.ts";
import type { SessionOwner, UserScope } from "../storage/session-owner.ts";
import { toSessionInfo } from "./session-record.ts";
import type { SessionInfo, SessionRecord } from "./session-record.ts";
import { openTurnLog } from "./turn-log.ts";
import { findTurnOf } from "./read-turn-page.ts";
import type { TurnCollector, TurnPage } from "./read-turn-page.ts";
import { readPartOfTurn, readTurns } from "./read-turns.ts";
import type { TurnPartPosition } from "./read-turns.ts";
import type { TurnPart } from "./turn-part.ts";
import type { StoredTurn } from "./turn-record.ts";
import { endWait } from "./waiting-run.ts";

/** Opens, lists, reads and deletes the sessions in a storage. All stores over one driver share sessions and queues. */
export class SessionStore {
  /** The links under which sessions can be read without their owners. */
  readonly shares: SessionShares;
  readonly #driver: StorageDriver;
  readonly #listeners: SessionListener[];
  readonly #sessions: ListenedSessions;
  readonly #background = new BackgroundWork();

  constructor(driver: StorageDriver, policy: Partial<BusyPolicy> = {}, listeners: readonly SessionListener[] = []) {
    this.#driver = driver;
    this.#listeners = [...listeners];
    const checked = checkBusyPolicy(policy, { owner: "SessionStore" });
    this.#sessions = { driver, queues: sessionQueuesOf(driver), policy: checked, listeners: this.#listeners };
    this.shares = new SessionShares(this.#sessions);
  }

  /** Returns one store for each distinct storage, in order, with the listeners of all its stores. */
  static join(stores: Iterable<SessionStore>): SessionStore[] {
    const joined = new Map<StorageDriver, SessionStore>();
    for (const store of stores) joined.set(store.#driver, store.#joinedTo(joined.get(store.#driver)));
    return [...joined.values()];
  }

  /**
   * Acquires the lease on the owner's session of this id, after all earlier runs, and creates the session if it is
   * missing. Throws `conflict` if its queue is full, or another run waits for an answer in it, unless `onWaiting` is
   * `cancel`. Release the session in a `finally`.
   */
  async open(sessionId: string, access: OpenOptions = {}): Promise<OpenSession> {
    const ref = refOf(sessionId, access);
    const opening = DeferredSession.open(this.#sessions, ref, access);
    const fresh = opening && (await opening);
    if (fresh !== undefined) return new OpenSession(sessionId, fresh);
    // Runs must join the queue in the order of the calls of `open`, so nothing else is awaited before joining.
    const deferred = settled(this.#sessions, ref);
    if (deferred !== undefined) await deferred;
    // If this call tried to defer the session, the session may exist by now, because another call may have created it.
    const isNew = access.isNew === true && opening === undefined;
    return new OpenSession(sessionId, await openAcquired(this.#sessions, ref, { access: { ...access, isNew } }));
  }

  /**
   * Makes a session that shares the turns of another session up to the number `seq`, as a branch of the conversation.
   * Later turns of one session do not appear in the other session. The number of writes does not depend on the number
   * of shared turns.
   */
  async fork(
    sessionId: string,
    { seq, forkId }: { seq: number; forkId: string },
    access: SessionAccess = {},
  ): Promise<void> {
    const fork = { seq: checkTurnNumber(seq, "seq"), forkId: checkStoredSessionId(forkId) };
    await this.#use(sessionId, access, (ref) => forkSession(this.#sessions, ref, fork));
  }

  /** Returns true if the caller has a session of this id. */
  async has(sessionId: string, access: SessionAccess = {}): Promise<boolean> {
    return (await this.#use(sessionId, access, (ref) => findLiveSession(this.#driver, ref))) !== null;
  }

  /** Returns the turn of a run, searched from the newest turn back; undefined if the session has no such turn. */
  async findTurn(sessionId: string, runId: string, access: SessionAccess = {}): Promise<StoredTurn | undefined> {
    return await this.#use(sessionId, access, async (ref) => {
      const session = await findLiveSession(this.#driver, ref);
      return session === null ? undefined : await findTurnOf(openTurnLog(this.#driver, ref), session, runId);
    });
  }

  /** Adds a listener, for a service that stores records about sessions. Returns the function that removes it. */
  addListener(listener: SessionListener): () => void {
    this.#listeners.push(listener);
    return () => void this.#listeners.splice(this.#listeners.indexOf(listener) >>> 0, 1);
  }

  /**
   * Notes that a durable run waits for an answer. The session rejects other runs until `endWait`, unless they cancel
   * this run.
   */
  async noteWait(sessionId: string, runId: string, access: SessionAccess = {}): Promise<void> {
    const change = (stored: SessionRecord) => ({ ...stored, waiting: runId });
    await this.#use(sessionId, access, ({ key }) => changeSession(this.#driver, key, { change }));
  }

  /** Notes that a durable run no longer waits. Does nothing if the run does not wait in this session. */
  async endWait(sessionId: string, runId: string, access: SessionAccess = {}): Promise<void> {
    await this.#use(sessionId, access, ({ key }) => endWait(this.#driver, key, runId));
  }

  /** Resolves if the storage is usable. A driver without `ping` is assumed to be usable. */
  async ping(): Promise<void> {
    await this.#driver.ping?.();
  }

  /**
   * Resolves after the storage has stored a small record, replacing the previous one. A full or read-only storage
   * rejects it.
   */
  async checkWritable(): Promise<void> {
    // The written value is different each time, because a database may skip a write that changes nothing.
    await this.#driver.set(namespaces.probe, "ready", { v: 1, at: Date.now() });
  }

  /**
   * Lists the caller's own sessions, by newest turn first. Throws `invalid_request` for an owner without a user, whose
   * sessions are not listed.
   */
  async listSessions(owner: SessionOwner, options: PageOptions<string> = {}): Promise<SessionPage> {
    return await SessionStore.listTogether([this], owner, options);
  }

  /**
   * Lists the caller's own sessions in several stores as one list, newest first. If several have the same id, the
   * session of the first store is listed.
   */
  static async listTogether(
    stores: readonly SessionStore[],
    owner: SessionOwner,
    { limit, after }: PageOptions<string> = {},
  ): Promise<SessionPage> {
    requireUserId(owner);
    const listing = { owner: checkOwner(owner), limit: checkPageLimit(limit), after: checkSessionCursor(after) };
    await Promise.all(stores.map((store) => settledOf(store.#sessions, listing.owner)));
    return await listSessions([...new Set(stores.map((store) => store.#driver))], listing);
  }

  /** Returns the public description of a session, without its turns. */
  async readSession(sessionId: string, access: SessionAccess = {}): Promise<SessionInfo> {
    return toSessionInfo(sessionId, await this.#use(sessionId, access, (ref) => requireSession(this.#driver, ref)));
  }

  /**
   * Returns a page of a session's turns, oldest first. It takes no lease and waits for no run. `take` is called with
   * each turn and may end the page before that turn; a page has at least one turn if there is one. Pages with `take`
   * omit data that is stored in pieces, which `readTurnPart` reads.
   */
  async readTurns(
    sessionId: string,
    options: SessionAccess & PageOptions<number> & { take?: TurnCollector | undefined } = {},
  ): Promise<TurnPage> {
    const page = { limit: checkPageLimit(options.limit), after: checkTurnCursor(options.after), take: options.take };
    return await this.#use(sessionId, options, async (ref) => {
      return await readTurns(this.#driver, { ref, session: await requireSession(this.#driver, ref) }, page);
    });
  }

  /** Reads an image, audio or file of a turn, piece by piece. It takes no lease and waits for no run. */
  async readTurnPart(sessionId: string, place: TurnPartPosition, access: SessionAccess = {}): Promise<TurnPart> {
    const checked = { seq: checkTurnNumber(place.seq, "seq"), index: checkPartIndex(place.index) };
    return await this.#use(sessionId, access, async (ref) => {
      return await readPartOfTurn(this.#driver, { ref, session: await requireSession(this.#driver, ref) }, checked);
    });
  }

  /** Gives a session the title that its user wants, even during a run. No automatic title replaces it later. */
  async renameSession(sessionId: string, title: string, access: SessionAccess = {}): Promise<SessionInfo> {
    const named = { title: checkTitle(title), titleBy: "user" as const };
    return await this.#change(sessionId, access, (stored) => ({ ...stored, ...named }));
  }

  /**
   * Gives a session a title made by a model, replacing the title made from its first message. Any other title stays.
   */
  async setModelTitle(sessionId: string, title: string, access: SessionAccess = {}): Promise<SessionInfo> {
    const named = { title: checkTitle(title), titleBy: "model" as const };
    const change = (stored: SessionRecord) => (stored.titleBy === "message" ? { ...stored, ...named } : stored);
    return await this.#change(sessionId, access, change);
  }

  /**
   * Makes `flush` wait for background work on sessions. The failure of that work is handled elsewhere. `cancel` ends
   * the work early.
   */
  track(work: Promise<unknown>, cancel?: () => void): void {
    this.#background.add(work, cancel);
  }

  /**
   * Waits until all background work is done, such as titles made by a model. After `waitMs` milliseconds the remaining
   * work is cancelled, and awaited for at most as long again. Never rejects.
   */
  async flush({ waitMs }: { waitMs?: number | undefined } = {}): Promise<void> {
    await this.#background.flush(waitMs);
  }

  /** Deletes a session with its turns, its memory and its members' sessions, after earlier runs are done. */
  async deleteSession(sessionId: string, access: SessionAccess = {}): Promise<void> {
    const ref = refOf(sessionId, access);
    const deferred = settled(this.#sessions, ref);
    if (deferred !== undefined) await deferred;
    await deleteSession(this.#sessions, ref, { signal: access.signal });
  }

  /**
   * Deletes the turns of a session from a given number on, and the memories of these turns: to answer again, or to
   * continue from an earlier point. The numbers are not reused. Rejects with `conflict` during a run.
   */
  async deleteTurns(sessionId: string, from: number, access: SessionAccess = {}): Promise<void> {
    const ref = refOf(sessionId, access);
    const first = checkTurnNumber(from, "from");
    const deferred = settled(this.#sessions, ref);
    if (deferred !== undefined) await deferred;
    await deleteTurns(this.#sessions, { ref, from: first }, access.signal);
  }

  /** Deletes a user's sessions, memory and facts. After a rejection, some of them may remain: call it again. */
  async deleteUser(userId: string, scope: UserScope = {}): Promise<void> {
    await settledOf(this.#sessions, toUserOwner(userId, scope));
    await deleteUser(this.#sessions, userId, scope);
  }

  #joinedTo(other: SessionStore | undefined): SessionStore {
    if (other === undefined) return this;
    return new SessionStore(this.#driver, other.#sessions.policy, [
      ...new Set([...other.#listeners, ...this.#listeners]),
    ]);
  }

  /** Changes the record of an existing session. Takes no lease, because the turns stay as they are. */
  async #change(
    sessionId: string,
    access: SessionAccess,
    change: (stored: SessionRecord) => SessionRecord,
  ): Promise<SessionInfo> {
    const changeLive = (stored: SessionRecord) => (stored.isDeleted === true ? null : change(stored));
    return await this.#use(sessionId, access, async (ref) => {
      const written = await changeSession(this.#driver, ref.key, { change: changeLive });
      if (written !== null) return toSessionInfo(sessionId, written.after);
      await requireSession(this.#driver, ref);
      throw contended();
    });
  }

  /** Performs work on a session. A session that this process has deferred is stored first. */
  async #use<Result>(
    sessionId: string,
    access: SessionAccess,
    work: (ref: SessionRef) => Promise<Result>,
  ): Promise<Result> {
    const ref = refOf(sessionId, access);
    const use = async () => {
      const deferred = settled(this.#sessions, ref);
      if (deferred !== undefined) await deferred;
      return await work(ref);
    };
    return await untilAborted(use, access.signal);
  }
}

function refOf(sessionId: string, { owner = {} }: SessionAccess): SessionRef {
  return sessionRef(checkOwner(owner), checkStoredSessionId(sessionId));
}

function requireUserId(owner: SessionOwner | undefined): void {
  if (readProperty(owner, "userId") !== undefined) return;
  throw new TroupeError(
    "invalid_request",
    "userId is missing: sessions are listed per user. Pass the owner's { userId }.",
  );
}
