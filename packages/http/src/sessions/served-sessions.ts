import { SessionStore, TroupeError } from "@troupe/core";
import type {
  Runnable,
  SessionInfo,
  SessionOwner,
  SessionPage,
  TakeTurn,
  TurnPage,
  TurnPart,
  TurnPartPlace,
} from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";

/** The part of a list that a client asks for. */
type Page<Cursor> = { limit: number | undefined; after: Cursor | undefined };

/** Milliseconds for which the result of an attempt to write to the storages counts. */
const writtenForMs = 5000;

/** A runnable that may have a session store: agents and teams have one, a remote agent does not. */
type WithSessions = Runnable & { readonly sessions?: unknown };

/**
 * The sessions of all agents and teams of a router, read and deleted through one object; a storage that several share
 * counts once. If several storages hold an id, the session is read and changed in that of the agent registered first, and
 * `delete` deletes it in all.
 */
export class ServedSessions {
  readonly #runnables: readonly WithSessions[];
  #joined: readonly SessionStore[] | undefined;
  /** The last attempt to write to all storages, and its time. */
  #written: { readonly at: number; readonly all: Promise<unknown> } | undefined;

  constructor(runnables: readonly Runnable[]) {
    this.#runnables = runnables;
  }

  /** Made when first used, as agents make their stores. */
  get #stores(): readonly SessionStore[] {
    const found = () => this.#runnables.flatMap(({ sessions }) => (sessions instanceof SessionStore ? [sessions] : []));
    return (this.#joined ??= SessionStore.join(found()));
  }

  /** Lists the sessions of an owner, those with the newest turn first. */
  async list(owner: SessionOwner, page: Page<string>): Promise<SessionPage> {
    return await SessionStore.listTogether(this.#stores, owner, page);
  }

  async read(sessionId: string, owner: SessionOwner): Promise<SessionInfo> {
    return await this.#first(sessionId, (store) => store.readSession(sessionId, { owner }));
  }

  async readTurns(sessionId: string, owner: SessionOwner, page: Page<number> & { take: TakeTurn }): Promise<TurnPage> {
    return await this.#first(sessionId, (store) => store.readTurns(sessionId, { owner, ...page }));
  }

  /** Reads an image, a sound or a file of a turn. */
  async readPart(sessionId: string, owner: SessionOwner, place: TurnPartPlace): Promise<TurnPart> {
    return await this.#first(sessionId, (store) => store.readTurnPart(sessionId, place, { owner }));
  }

  /** Gives a session the title that its user wants. */
  async rename(sessionId: string, owner: SessionOwner, title: string): Promise<SessionInfo> {
    return await this.#first(sessionId, (store) => store.renameSession(sessionId, title, { owner }));
  }

  /** Deletes the turns of a session from a number on, in the storage that it is read from. */
  async deleteTurns(sessionId: string, owner: SessionOwner, from: number): Promise<void> {
    await this.#first(sessionId, (store) => store.deleteTurns(sessionId, from, { owner }));
  }

  /** Deletes a session in all storages, after the runs that wait for it. If it rejects, call it again: a part may be left. */
  async delete(sessionId: string, owner: SessionOwner): Promise<void> {
    const results = await Promise.allSettled(this.#stores.map((store) => store.deleteSession(sessionId, { owner })));
    const failures = results.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
    const failure = failures.find((each) => !isNotFound(each));
    if (failure !== undefined) throw toTroupeError(failure);
    if (failures.length === results.length) throw sessionNotFound(sessionId);
  }

  /** Resolves when no background work on sessions is left, such as titles. Work left after `waitMs` is cancelled. */
  async flush(waitMs?: number): Promise<void> {
    // Of the runnables' own stores, since each knows of its own work.
    const own = this.#runnables.flatMap(({ sessions }) => (sessions instanceof SessionStore ? [sessions] : []));
    await Promise.all(own.map((store) => store.flush({ waitMs })));
  }

  /** Resolves when all storages answer and have taken a small record, at most once in five seconds: clients decide how often to ask. */
  async checkUsable(): Promise<void> {
    const now = performance.now();
    if (this.#written === undefined || now - this.#written.at >= writtenForMs) {
      const all = Promise.all(this.#stores.map((store) => store.checkWritable()));
      // Each caller sees the failure; it may come after all of them have left.
      all.catch(() => {});
      this.#written = { at: now, all };
    }
    await Promise.all([this.#written.all, ...this.#stores.map((store) => store.ping())]);
  }

  async #first<Found>(sessionId: string, find: (store: SessionStore) => Promise<Found>): Promise<Found> {
    for (const store of this.#stores) {
      try {
        return await find(store);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    throw sessionNotFound(sessionId);
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
