import { TroupeError } from "../../base/errors/troupe-error.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { SessionPage } from "../../sessions/session/list-sessions.ts";
import type { TurnCollector, TurnPage } from "../../sessions/session/read-turn-page.ts";
import type { NewShare, SharedPage } from "../../sessions/session/session-shares.ts";
import type { ShareInfo } from "../../sessions/session/share-record.ts";
import type { SessionInfo } from "../../sessions/session/session-record.ts";
import type { TurnPartPosition } from "../../sessions/session/read-turns.ts";
import type { TurnPart } from "../../sessions/session/turn-part.ts";
import type { StoredTurn } from "../../sessions/session/turn-record.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";

/** The page of a list that a client requests. */
type Page<Cursor> = { limit: number | undefined; after: Cursor | undefined };

/** Milliseconds for which the result of a test write to the storages is reused. */
const writtenForMs = 5000;

/** A runnable that may have a session store. Agents and teams have one; a remote agent does not. */
type WithSessions = Runnable & { readonly sessions?: unknown };

/**
 * The sessions of all agents and teams of a router as one object. A storage that several agents share counts once. If
 * several storages have the same session id, the session is read and changed in the storage of the agent that was
 * registered first. `delete` removes it from all of them.
 */
export class ServedSessions {
  readonly #runnables: readonly WithSessions[];
  #joined: readonly SessionStore[] | undefined;
  /** The last test write to all storages, and its time. */
  #written: { readonly at: number; readonly all: Promise<unknown> } | undefined;

  constructor(runnables: readonly Runnable[]) {
    this.#runnables = runnables;
  }

  /**
   * The session stores of all runnables, joined by storage. Created on first use, because agents also create their
   * stores lazily.
   */
  get #stores(): readonly SessionStore[] {
    const found = () => this.#runnables.flatMap(({ sessions }) => (sessions instanceof SessionStore ? [sessions] : []));
    return (this.#joined ??= SessionStore.join(found()));
  }

  /** Lists the sessions of an owner, sorted by their newest turn, newest first. */
  async list(owner: SessionOwner, page: Page<string>): Promise<SessionPage> {
    return await SessionStore.listTogether(this.#stores, owner, page);
  }

  async read(sessionId: string, owner: SessionOwner): Promise<SessionInfo> {
    return await this.#first(sessionId, (store) => store.readSession(sessionId, { owner }));
  }

  async readTurns(
    sessionId: string,
    owner: SessionOwner,
    page: Page<number> & { take: TurnCollector },
  ): Promise<TurnPage> {
    return await this.#first(sessionId, (store) => store.readTurns(sessionId, { owner, ...page }));
  }

  /** Returns the turn of a run, searched from the newest turn back; undefined if no storage has it. */
  async findTurn(sessionId: string, owner: SessionOwner, runId: string): Promise<StoredTurn | undefined> {
    for (const store of this.#stores) {
      const turn = await store.findTurn(sessionId, runId, { owner });
      if (turn !== undefined) return turn;
    }
    return undefined;
  }

  /** Loads the data of an image, sound or file in a stored turn, from the first storage that has the session. */
  async readPart(sessionId: string, owner: SessionOwner, place: TurnPartPosition): Promise<TurnPart> {
    return await this.#first(sessionId, (store) => store.readTurnPart(sessionId, place, { owner }));
  }

  /** Sets the title of a session to the title that its user chose. */
  async rename(sessionId: string, owner: SessionOwner, title: string): Promise<SessionInfo> {
    return await this.#first(sessionId, (store) => store.renameSession(sessionId, title, { owner }));
  }

  /** Deletes the turns of a session from a given number on, in the storage from which the session is read. */
  async deleteTurns(sessionId: string, owner: SessionOwner, from: number): Promise<void> {
    await this.#first(sessionId, (store) => store.deleteTurns(sessionId, from, { owner }));
  }

  /** Shares a session, in the first storage that has it. Returns the share and the secret of its link. */
  async share(sessionId: string, owner: SessionOwner, share: NewShare): Promise<{ share: ShareInfo; secret: string }> {
    return await this.#first(sessionId, ({ shares }) => shares.create(sessionId, owner, share));
  }

  /** Lists the shares of an owner, newest first: all of them, or those of a session. */
  async listShares(owner: SessionOwner, sessionId: string | undefined): Promise<ShareInfo[]> {
    const lists = await Promise.all(this.#stores.map(({ shares }) => shares.list(owner, sessionId)));
    return lists.flat().toSorted((one, other) => other.createdAt - one.createdAt);
  }

  /** Ends a share of the owner. Rejects with `not_found` for any other share. */
  async revokeShare(shareId: string, owner: SessionOwner, sessionId: string | undefined): Promise<void> {
    await this.#found(shareNotFound, ({ shares }) => shares.revoke(shareId, owner, sessionId));
  }

  /** Returns a page of the turns that the secret of a link shares. Rejects with `not_found` if it shares none. */
  async readShared(secret: string, page: Page<number> & { take: TurnCollector }): Promise<SharedPage> {
    return await this.#found(shareNotFound, ({ shares }) => shares.readTurns(secret, page));
  }

  /**
   * Deletes a session from all storages, once its earlier runs are done. Rejects with `not_found` if no storage has
   * it. After any other error, call it again: part of the session may remain.
   */
  async delete(sessionId: string, owner: SessionOwner): Promise<void> {
    const results = await Promise.allSettled(this.#stores.map((store) => store.deleteSession(sessionId, { owner })));
    const failures = results.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
    const failure = failures.find((each) => !isNotFound(each));
    if (failure !== undefined) throw toTroupeError(failure);
    if (failures.length === results.length) throw sessionNotFound(sessionId);
  }

  /**
   * Resolves when all background work on sessions, such as titles, is done. Cancels work that is left after `waitMs`.
   */
  async flush(waitMs?: number): Promise<void> {
    // The store of each runnable is flushed, because a store tracks only the work that it started itself.
    const own = this.#runnables.flatMap(({ sessions }) => (sessions instanceof SessionStore ? [sessions] : []));
    await Promise.all(own.map((store) => store.flush({ waitMs })));
  }

  /**
   * Resolves when all storages can be read and accept a small test record. Writes at most every five seconds, because
   * clients may ask as often as they like.
   */
  async checkUsable(): Promise<void> {
    const now = performance.now();
    if (this.#written === undefined || now - this.#written.at >= writtenForMs) {
      const all = Promise.all(this.#stores.map((store) => store.checkWritable()));
      // Prevents an unhandled rejection if all callers have stopped waiting. Each caller still gets the failure.
      all.catch(() => {});
      this.#written = { at: now, all };
    }
    await Promise.all([this.#written.all, ...this.#stores.map((store) => store.ping())]);
  }

  async #first<Found>(sessionId: string, find: (store: SessionStore) => Promise<Found>): Promise<Found> {
    return await this.#found(() => sessionNotFound(sessionId), find);
  }

  async #found<Found>(missing: () => TroupeError, find: (store: SessionStore) => Promise<Found>): Promise<Found> {
    for (const store of this.#stores) {
      try {
        return await find(store);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    throw missing();
  }
}

function isNotFound(error: unknown): boolean {
  return TroupeError.is(error) && error.code === "not_found";
}

function sessionNotFound(sessionId: string): TroupeError {
  const name = JSON.stringify(sessionId);
  return new TroupeError(
    "not_found",
    `Session ${name} not found. It may belong to another user: sign in as that user.`,
  );
}

function shareNotFound(): TroupeError {
  return new TroupeError("not_found", "This link is unknown, was revoked, or has ended.");
}
