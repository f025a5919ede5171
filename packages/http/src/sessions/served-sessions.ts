import { SessionStore, TroupeError } from "@troupe/core";
import type { Runnable, SessionInfo, SessionOwner, SessionPage, TurnPage } from "@troupe/core";
import { toTroupeError } from "@troupe/core/adapter";

/** What pages a caller asks for. */
type Page<Cursor> = { limit: number | undefined; after: Cursor | undefined };

/** What may tell its sessions: agents and teams do, a remote agent does not. */
type WithSessions = Runnable & { readonly sessions?: unknown };

/**
 * The sessions of all agents and teams, each storage once. Where the same id is found in several storages, the first
 * that has it is read, in the order of registration, and all of them delete it.
 */
export class ServedSessions {
  readonly #runnables: readonly WithSessions[];
  #joined: readonly SessionStore[] | undefined;

  constructor(runnables: readonly Runnable[]) {
    this.#runnables = runnables;
  }

  /** Made when first used: agents make their stores when first used, too. */
  get #stores(): readonly SessionStore[] {
    const found = () => this.#runnables.flatMap(({ sessions }) => (sessions instanceof SessionStore ? [sessions] : []));
    return (this.#joined ??= SessionStore.join(found()));
  }

  /** The owner's sessions in the order of their ids. */
  async list(owner: SessionOwner, { limit = 20, after }: Page<string>): Promise<SessionPage> {
    const pages = await Promise.all(this.#stores.map((store) => store.listSessions(owner, { limit, after })));
    const byId = new Map(
      pages
        .flatMap(({ sessions }) => sessions)
        .toReversed()
        .map((each) => [each.sessionId, each]),
    );
    const sorted = [...byId.values()].toSorted((one, other) => (one.sessionId < other.sessionId ? -1 : 1));
    const sessions = sorted.slice(0, limit);
    const isMore = sorted.length > limit || pages.some(({ next }) => next !== undefined);
    const last = sessions.at(-1);
    return isMore && last !== undefined ? { sessions, next: last.sessionId } : { sessions };
  }

  async read(sessionId: string, owner: SessionOwner): Promise<SessionInfo> {
    return await this.#first(sessionId, (store) => store.readSession(sessionId, { owner }));
  }

  async readTurns(sessionId: string, owner: SessionOwner, page: Page<number>): Promise<TurnPage> {
    return await this.#first(sessionId, (store) => store.readTurns(sessionId, { owner, ...page }));
  }

  /** Deletes it wherever it is, behind the runs that came before. When it rejects, something may be left: it can be called again. */
  async delete(sessionId: string, owner: SessionOwner): Promise<void> {
    const ends = await Promise.allSettled(this.#stores.map((store) => store.deleteSession(sessionId, { owner })));
    const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
    const failure = failures.find((each) => !isNotFound(each));
    if (failure !== undefined) throw toTroupeError(failure);
    if (failures.length === ends.length) throw noSession(sessionId);
  }

  /** Resolves when all storages can be used. */
  async ping(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.ping()));
  }

  async #first<Found>(sessionId: string, find: (store: SessionStore) => Promise<Found>): Promise<Found> {
    for (const store of this.#stores) {
      try {
        return await find(store);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    throw noSession(sessionId);
  }
}

function isNotFound(error: unknown): boolean {
  return TroupeError.is(error) && error.code === "not_found";
}

function noSession(sessionId: string): TroupeError {
  return new TroupeError("not_found", `There is no session ${JSON.stringify(sessionId)}.`);
}
