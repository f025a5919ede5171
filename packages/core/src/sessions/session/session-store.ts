import { untilAborted } from "../../base/async/until-aborted.ts";
import { withTimeout } from "../../base/async/with-timeout.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { checkBusyPolicy } from "../lock/busy-policy.ts";
import type { BusyPolicy, JoinOptions } from "../lock/busy-policy.ts";
import type { Lease } from "../lock/lease.ts";
import type { RunAttempt } from "../lock/queue-record.ts";
import { sessionQueuesOf } from "../lock/session-queues.ts";
import type { KeyedQueues } from "../lock/session-queues.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { changeSession } from "./change-session.ts";
import { cutTurns, finishCut } from "./cut-turns.ts";
import { createSession, findSession, sessionNotFound } from "./create-session.ts";
import type { SessionRef } from "./session-keys.ts";
import { listSessions, ownSessions } from "./list-sessions.ts";
import type { SessionPage } from "./list-sessions.ts";
import { checkTitle } from "./session-title.ts";
import { OpenSession } from "./open-session.ts";
import { checkPartIndex, checkPageLimit, checkSessionCursor, checkTurnCursor, checkTurnNumber } from "./page.ts";
import type { PageOptions } from "./page.ts";
import { PartStore } from "./part-store.ts";
import { removeAll, removeMemories, removeMemory, removeSession } from "./remove-session.ts";
import { checkStoredSessionId } from "./session-id.ts";
import { ownerPrefix, namespaces, sessionRef, sessionIdOf } from "./session-keys.ts";
import { checkOwner, checkUser } from "../storage/session-owner.ts";
import type { SessionOwner, UserOwner, UserScope } from "../storage/session-owner.ts";
import { toSessionInfo } from "./session-record.ts";
import type { SessionInfo, SessionRecord } from "./session-record.ts";
import { openTurnLog } from "./turn-log.ts";
import { readTurnPage } from "./read-turn-page.ts";
import type { TakeTurn, TurnPage } from "./read-turn-page.ts";
import { partNotFound, readTurnPart } from "./turn-part.ts";
import type { TurnPart } from "./turn-part.ts";
import type { StoredTurn } from "./turn-record.ts";
import { endOtherWait, endWait } from "./waiting-run.ts";

/** The caller of a session, by default without tenant and user, and a signal that ends waiting for lease or storage. */
export type SessionAccess = { owner?: SessionOwner | undefined; signal?: AbortSignal | undefined };

/** The number of a turn, and the index of a part among its images, audio and files, from 0. */
export type TurnPartPlace = { seq: number; index: number };

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
   * Cancels a durable run that waits for an answer, so that another run can begin. Returns true if it is over, and
   * false if its process was asked to end it.
   */
  cancelWaiting?(runId: string): Promise<boolean>;
};

/** Options of opening a session for a run. */
export type OpenOptions = SessionAccess & {
  /** True if the id was just created, which saves a read. */
  isNew?: boolean;
  /**
   * An attempt at a durable run. It takes over the queue position of an earlier attempt, and the session may wait for
   * it.
   */
  run?: RunAttempt;
  /**
   * Cancels a durable run that waits for an answer in this session, instead of rejecting this run. @default "reject"
   */
  onWaiting?: "reject" | "cancel" | undefined;
};

/** The number of turns that are added to a memory again after a deletion. */
const mostReloaded = 200;

/** Opens, lists, reads and deletes the sessions in a storage. All stores over one driver share sessions and queues. */
export class SessionStore {
  readonly #driver: StorageDriver;
  readonly #queues: KeyedQueues;
  readonly #policy: BusyPolicy;
  readonly #listeners: SessionListener[];
  /** Work that `flush` waits for, each with the function that cancels it. These promises never reject. */
  readonly #pending = new Map<Promise<void>, () => void>();

  constructor(driver: StorageDriver, policy: Partial<BusyPolicy> = {}, listeners: readonly SessionListener[] = []) {
    this.#driver = driver;
    this.#queues = sessionQueuesOf(driver);
    this.#listeners = [...listeners];
    this.#policy = checkBusyPolicy(policy, { owner: "SessionStore" });
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
    // Skipping the read is safe even if the session exists: `compareAndSet` detects it.
    const isKnownNew = access.isNew === true && this.#driver.compareAndSet !== undefined;
    const { lease, session } = await this.#acquire(ref, access.signal, { isKnownNew, run: access.run });
    try {
      if (session?.waiting !== undefined && session.waiting !== access.run?.runId) {
        // The lease is released, because the end of the other run needs it.
        lease.release();
        await endOtherWait({ driver: this.#driver, key: ref.key, listeners: this.#listeners }, session.waiting, access);
        return await this.open(sessionId, access);
      }
      const prepare = async () => {
        if (session === null) return await createSession(this.#driver, ref);
        return { session: await this.#finishCut(lease, ref, session), isNew: false };
      };
      const isReady = session !== null && session.cut === undefined;
      const opened = isReady ? { session, isNew: false } : await lease.write(prepare, access.signal);
      const log = openTurnLog(this.#driver, ref, lease.appendOptions);
      const parts = new PartStore(this.#driver, ref.key);
      return new OpenSession({ ...opened, sessionId, log, parts, lease });
    } catch (error) {
      lease.release();
      throw error;
    }
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
    await changeSession(this.#driver, refOf(sessionId, access).key, { change });
  }

  /** Notes that a durable run no longer waits. Does nothing if the run does not wait in this session. */
  async endWait(sessionId: string, runId: string, access: SessionAccess = {}): Promise<void> {
    await endWait(this.#driver, refOf(sessionId, access).key, runId);
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
    // The written value differs each time, because a database may skip a write that changes nothing.
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
    return await listSessions([...new Set(stores.map((store) => store.#driver))], listing);
  }

  /** Returns the public description of a session, without its turns. */
  async readSession(sessionId: string, access: SessionAccess = {}): Promise<SessionInfo> {
    const session = await untilAborted(() => this.#find(refOf(sessionId, access)), access.signal);
    return toSessionInfo(sessionId, session);
  }

  /**
   * Returns a page of a session's turns, oldest first. It takes no lease and waits for no run. `take` is called with
   * each turn and may end the page before that turn; a page has at least one turn if there is one. Pages with `take`
   * omit data that is stored in pieces, which `readTurnPart` reads.
   */
  async readTurns(
    sessionId: string,
    options: SessionAccess & PageOptions<number> & { take?: TakeTurn | undefined } = {},
  ): Promise<TurnPage> {
    const ref = refOf(sessionId, options);
    const limit = checkPageLimit(options.limit);
    const after = checkTurnCursor(options.after);
    const read = async () => {
      const session = await this.#find(ref);
      const page = await readTurnPage(openTurnLog(this.#driver, ref), session, { after, limit, take: options.take });
      return options.take === undefined ? await this.#withData(ref, page) : page;
    };
    return await untilAborted(read, options.signal);
  }

  /** Reads an image, audio or file of a turn, piece by piece. It takes no lease and waits for no run. */
  async readTurnPart(sessionId: string, place: TurnPartPlace, access: SessionAccess = {}): Promise<TurnPart> {
    const ref = refOf(sessionId, access);
    const { seq, index } = { seq: place.seq, index: checkPartIndex(place.index) };
    const after = checkTurnNumber(seq, "seq") - 1;
    const read = async () => {
      const session = await this.#find(ref);
      const [turn] = await openTurnLog(this.#driver, ref).after(after, 1, session);
      if (turn?.seq !== seq) throw partNotFound(seq, index);
      const parts = new PartStore(this.#driver, ref.key);
      return readTurnPart(turn, index, (stored) => parts.read(stored));
    };
    return await untilAborted(read, access.signal);
  }

  /** Gives a session the title that its user wants, even during a run. No automatic title replaces it later. */
  async renameSession(sessionId: string, title: string, access: SessionAccess = {}): Promise<SessionInfo> {
    const named = { title: checkTitle(title), titleBy: "user" as const };
    return await this.#change(refOf(sessionId, access), (stored) => ({ ...stored, ...named }), access.signal);
  }

  /**
   * Gives a session a title made by a model, replacing the title made from its first message. Any other title stays.
   */
  async setModelTitle(sessionId: string, title: string, access: SessionAccess = {}): Promise<SessionInfo> {
    const named = { title: checkTitle(title), titleBy: "model" as const };
    const change = (stored: SessionRecord) => (stored.titleBy === "message" ? { ...stored, ...named } : stored);
    return await this.#change(refOf(sessionId, access), change, access.signal);
  }

  /** Makes `flush` wait for background work on sessions, whose failure is handled elsewhere. `cancel` ends it early. */
  track(work: Promise<unknown>, cancel: () => void = () => undefined): void {
    const end = () => void this.#pending.delete(settled);
    const settled: Promise<void> = work.then(end, end);
    this.#pending.set(settled, cancel);
  }

  /**
   * Waits until all background work is done, such as titles made by a model. Work that is left after `waitMs`
   * milliseconds is cancelled, and awaited for at most as long again. Never rejects.
   */
  async flush({ waitMs }: { waitMs?: number | undefined } = {}): Promise<void> {
    if (waitMs === undefined || (await this.#isDoneWithin(waitMs))) return await this.#waitForAll();
    for (const cancel of this.#pending.values()) cancel();
    await this.#isDoneWithin(waitMs);
  }

  async #waitForAll(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending.keys());
  }

  async #isDoneWithin(timeoutMs: number): Promise<boolean> {
    const done = this.#waitForAll().then(() => true);
    return this.#pending.size === 0 || (await withTimeout(done, { timeoutMs, onTimeout: () => false }));
  }

  /** Deletes a session with its turns, its memory and its members' sessions, after earlier runs are done. */
  async deleteSession(sessionId: string, access: SessionAccess = {}): Promise<void> {
    const ref = refOf(sessionId, access);
    const { lease, session } = await this.#acquire(ref, access.signal);
    try {
      if (session === null) {
        lease.forget();
        throw sessionNotFound(sessionId);
      }
      await lease.write(() => this.#removeAll(lease, ref, session), access.signal);
    } finally {
      lease.release();
    }
  }

  /**
   * Deletes the turns of a session from a number on, and the memories of them: to answer again, or to continue from an
   * earlier point. The numbers are not reused. During a run it rejects with `conflict`.
   */
  async deleteTurns(sessionId: string, from: number, access: SessionAccess = {}): Promise<void> {
    const ref = refOf(sessionId, access);
    const first = checkTurnNumber(from, "from");
    const { lease, session } = await this.#acquire(ref, access.signal, { onBusy: "reject" });
    try {
      if (session === null) {
        lease.forget();
        throw sessionNotFound(sessionId);
      }
      await lease.write(async () => {
        const whole = await this.#finishCut(lease, ref, session);
        const cut = await cutTurns({ driver: this.#driver, ref, lease }, { from: first, session: whole });
        if (cut !== null) await this.#finishCut(lease, ref, cut);
      }, access.signal);
    } finally {
      lease.release();
    }
  }

  /** Removes the remains of a session's deleted turns, in the storage and in memories. */
  async #finishCut(lease: Lease, ref: SessionRef, session: SessionRecord): Promise<SessionRecord> {
    if (session.cut === undefined) return session;
    const parts = new PartStore(this.#driver, ref.key);
    const load = async () => await parts.fillTurns(await openTurnLog(this.#driver, ref).newest(mostReloaded, session));
    await removeMemory(this.#driver, ref.key);
    for (const listener of this.#listeners) await listener.forgetTurns?.(ref.sessionId, ref.owner, load);
    return await finishCut({ driver: this.#driver, ref, lease }, session);
  }

  /** Deletes a user's sessions, memory and facts. If it rejects, some may be left: call it again. */
  async deleteUser(userId: string, scope: UserScope = {}): Promise<void> {
    const owner = checkUser(userId, scope);
    for await (const { key } of ownSessions(this.#driver, owner)) {
      await this.#remove({ key, owner, sessionId: sessionIdOf(key) });
    }
    // A memory may have been used without a session.
    await removeMemories(this.#driver, owner);
    await removeAll(this.#driver, namespaces.turnParts, ownerPrefix(owner));
    await removeAll(this.#driver, namespaces.facts, ownerPrefix(owner));
    await removeAll(this.#driver, namespaces.recent, ownerPrefix(owner));
    for (const listener of this.#listeners) await listener.forgetUser?.(owner);
  }

  async #withData(ref: SessionRef, page: TurnPage): Promise<TurnPage> {
    return { ...page, turns: await new PartStore(this.#driver, ref.key).fillTurns(page.turns) };
  }

  #joinedTo(other: SessionStore | undefined): SessionStore {
    if (other === undefined) return this;
    return new SessionStore(this.#driver, other.#policy, [...new Set([...other.#listeners, ...this.#listeners])]);
  }

  /** Removes a session that is known to belong to the caller, under its lease. */
  async #remove(ref: SessionRef): Promise<void> {
    const lease = await this.#queues.join(ref.key, this.#policy).granted;
    try {
      await lease.write(() => this.#removeAll(lease, ref, null));
    } finally {
      lease.release();
    }
  }

  /**
   * Removes a session with all its data. The session itself is removed last, so that a failed deletion can be repeated.
   */
  async #removeAll(lease: Lease, ref: SessionRef, session: SessionRecord | null): Promise<void> {
    for (const listener of this.#listeners) await listener.forgetSession?.(ref.sessionId, ref.owner);
    await removeSession({ driver: this.#driver, confirm: () => lease.confirm() }, ref, session);
    lease.forget();
  }

  /** Joins the queue of a session immediately, waits for the lease, and reads the session's record. */
  async #acquire(
    ref: SessionRef,
    signal: AbortSignal | undefined,
    { isKnownNew = false, ...policy }: Partial<JoinOptions> & { isKnownNew?: boolean } = {},
  ) {
    const position = this.#queues.join(ref.key, { ...this.#policy, ...policy, signal });
    const find = () => findSession(this.#driver, ref);
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

  /** Changes the record of an existing session. Takes no lease, because the turns stay as they are. */
  async #change(
    ref: SessionRef,
    change: (stored: SessionRecord) => SessionRecord,
    signal: AbortSignal | undefined,
  ): Promise<SessionInfo> {
    const written = await untilAborted(() => changeSession(this.#driver, ref.key, { change }), signal);
    if (written !== null) return toSessionInfo(ref.sessionId, written.after);
    await untilAborted(() => this.#find(ref), signal);
    throw new TroupeError("storage_unavailable", "Other processes keep changing this session. Try again.");
  }

  async #find(ref: SessionRef) {
    const session = await findSession(this.#driver, ref);
    if (session === null) throw sessionNotFound(ref.sessionId);
    return session;
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
