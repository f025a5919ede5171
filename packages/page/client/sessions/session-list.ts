import { ApiError } from "@troupe-internal/client";
import type { Api } from "../api/api.ts";
import type { SessionInfo } from "@troupe-internal/client";
import type { KeptChat, KeptTurns } from "../chat/kept-turns.ts";
import type { OpenRuns } from "../chat/open-runs.ts";
import type { StoredValue } from "../ui/browser-storage.ts";
import { isOpenStatus } from "@troupe-internal/client";
import { Store } from "../ui/store.ts";
import { cutText } from "../ui/cut-text.ts";

/** The sessions beside the chat, newest first. */
export type SessionListState = {
  readonly sessions: readonly SessionInfo[];
  /** The cursor of the next page of sessions, if there is one. */
  readonly next?: string | undefined;
  /** The sessions with an active run in the service's list, with the status of the run. */
  readonly open: ReadonlyMap<string, string>;
  readonly isLoaded: boolean;
  readonly failure?: string | undefined;
};

/** Largest number of session ids that the browser remembers. */
const mostRemembered = 60;
/** The maximum number of characters of a question that replaces the title of a session without a title. */
const longestTitle = 80;

/** The API requests that the session list sends. */
export type SessionApi = Pick<
  Api,
  "hasUsers" | "sessions" | "session" | "rename" | "removeSession" | "newestRuns" | "cancel"
>;

/** The part of the tab's memory that the list uses: active runs, and chats that the service has not stored. */
export type ListMemory = {
  readonly openRuns: Pick<OpenRuns, "all" | "remove">;
  readonly keptTurns: Pick<KeptTurns, "chats" | "forget">;
};

/**
 * The sessions of the caller. A service without users lists no sessions. In that case the page shows the sessions that
 * were started in this browser, which remembers their ids.
 */
export class SessionList extends Store<SessionListState> {
  readonly #api: SessionApi;
  readonly #stored: StoredValue;
  readonly #memory: ListMemory;
  #isListed: boolean;
  /** True once sessions older than the newest page were read. */
  #hasOlder = false;
  /**
   * Ids of the sessions that were deleted on this page. Their runs may take a moment to end, and the service lists the
   * sessions until then.
   */
  readonly #removed = new Set<string>();
  /** The ids of listed active runs, by session. */
  #runIds: ReadonlyMap<string, string> = new Map();

  constructor(api: SessionApi, stored: StoredValue, memory: ListMemory) {
    super({ sessions: [], open: new Map(), isLoaded: false });
    this.#api = api;
    this.#stored = stored;
    this.#memory = memory;
    this.#isListed = api.hasUsers;
  }

  /** False for a service without users, and once it has refused to list the caller's sessions. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Reads the newest sessions. Keeps older sessions that were read before. */
  async load(): Promise<void> {
    try {
      const page = await this.#read();
      const runs = (this.#isListed ? await this.#api.newestRuns() : []).filter(({ status }) => isOpenStatus(status));
      this.#runIds = new Map(runs.map(({ sessionId, runId }) => [sessionId, runId]));
      const open = new Map(runs.map(({ sessionId, status }) => [sessionId, status]));
      const names = new Map(runs.map(({ sessionId, name }) => [sessionId, name]));
      for (const { sessionId, text, name } of this.#memory.openRuns.all())
        names.set(sessionId, cutText(text, longestTitle) || name);
      const older = this.#hasOlder ? olderThan(page.sessions, this.state.sessions) : [];
      const next = older.length > 0 ? this.state.next : page.next;
      const named = withKept(withNames([...page.sessions, ...older], names), this.#memory.keptTurns.chats());
      const sessions = withoutEmpty(this.#withoutRemoved(named), open);
      this.set({ sessions, next, open, isLoaded: true, failure: undefined });
    } catch (error) {
      this.set({ isLoaded: true, failure: (error as Error).message });
    }
  }

  /** Reads the next page of older sessions. */
  async loadMore(): Promise<void> {
    const { next } = this.state;
    if (next === undefined) return;
    try {
      const page = await this.#api.sessions({ limit: 40, ...(next !== undefined && { after: next }) });
      this.#hasOlder = true;
      const known = new Set(this.state.sessions.map(({ sessionId }) => sessionId));
      const older = this.#withoutRemoved(page.sessions.filter(({ sessionId }) => !known.has(sessionId)));
      this.set({
        sessions: [...this.state.sessions, ...withoutEmpty(older, this.state.open)],
        next: page.next,
        failure: undefined,
      });
    } catch (error) {
      this.set({ failure: (error as Error).message });
    }
  }

  /** Remembers a new session, and shows it at once. */
  begin(sessionId: string, title: string): void {
    this.#remember([sessionId, ...this.#remembered().filter((id) => id !== sessionId)]);
    if (this.state.sessions.some((session) => session.sessionId === sessionId)) return;
    this.set({ sessions: [newSession(sessionId, title), ...this.state.sessions] });
  }

  /** Changes the title of a session. */
  async rename(sessionId: string, title: string): Promise<void> {
    const renamed = await this.#api.rename(sessionId, title);
    this.set({ sessions: this.state.sessions.map((each) => (each.sessionId === sessionId ? renamed : each)) });
  }

  /** Stops the run of a session, and deletes the session. */
  async remove(sessionId: string): Promise<void> {
    const own = this.#memory.openRuns.all().find((run) => run.sessionId === sessionId);
    const runId = own?.runId ?? this.#runIds.get(sessionId);
    // The run is cancelled first, because deleting a session waits for the end of its run.
    if (runId !== undefined) await this.#api.cancel(runId).catch(() => {});
    try {
      await this.#api.removeSession(sessionId);
    } catch (error) {
      // A 404 means that the service no longer has the session, or never stored it.
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
    if (own !== undefined) this.#memory.openRuns.remove(own.runId);
    this.#memory.keptTurns.forget(sessionId);
    this.#removed.add(sessionId);
    this.#remember(this.#remembered().filter((id) => id !== sessionId));
    this.set({ sessions: this.#withoutRemoved(this.state.sessions) });
  }

  #withoutRemoved(sessions: readonly SessionInfo[]): SessionInfo[] {
    return sessions.filter(({ sessionId }) => !this.#removed.has(sessionId));
  }

  async #read(): Promise<{ sessions: SessionInfo[]; next?: string }> {
    if (this.#isListed) {
      try {
        return await this.#api.sessions({ limit: 40 });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "unauthorized") throw error;
        this.#isListed = false;
      }
    }
    return { sessions: await this.#readRemembered() };
  }

  async #readRemembered(): Promise<SessionInfo[]> {
    const read = await Promise.all(
      this.#remembered().map(async (id) => {
        try {
          return await this.#api.session(id);
        } catch (error) {
          if (error instanceof ApiError && error.status === 404) return undefined;
          throw error;
        }
      }),
    );
    const sessions = read.filter((session) => session !== undefined);
    this.#remember(sessions.map(({ sessionId }) => sessionId));
    return sessions.toSorted((one, other) => other.updatedAt - one.updatedAt);
  }

  #remembered(): string[] {
    return this.#stored.read(isIds) ?? [];
  }

  #remember(ids: readonly string[]): void {
    this.#stored.write(ids.slice(0, mostRemembered));
  }
}

/** Returns the listed sessions that are not among the newest sessions and were last changed before them. */
function olderThan(newest: readonly SessionInfo[], sessions: readonly SessionInfo[]): SessionInfo[] {
  const last = newest.at(-1);
  if (last === undefined) return [];
  const listed = new Set(newest.map(({ sessionId }) => sessionId));
  return sessions.filter(({ sessionId, updatedAt }) => updatedAt <= last.updatedAt && !listed.has(sessionId));
}

/**
 * Leaves out sessions without a title and a turn, unless they have an active run. Nothing was stored of the first run
 * of such a session, for example because the vendor refused the key.
 */
function withoutEmpty(sessions: readonly SessionInfo[], open: SessionListState["open"]): SessionInfo[] {
  return sessions.filter(({ sessionId, title, turns }) => turns > 0 || title !== undefined || open.has(sessionId));
}

/**
 * Adds names to sessions that have no title yet because their first run is active. Also adds sessions that the service
 * does not list yet.
 */
function withNames(sessions: readonly SessionInfo[], names: ReadonlyMap<string, string>): SessionInfo[] {
  const listed = new Set(sessions.map(({ sessionId }) => sessionId));
  const unlisted = [...names].filter(([sessionId]) => !listed.has(sessionId));
  const named = sessions.map((session) => ({ ...session, title: session.title ?? names.get(session.sessionId) }));
  return [
    ...unlisted.map(([sessionId, name]) => newSession(sessionId, name)),
    ...named.map(({ title, ...session }) => (title === undefined ? session : { ...session, title })),
  ];
}

/** Adds the chats that only this tab has to the list. The list begins with the newest chat. */
function withKept(sessions: readonly SessionInfo[], chats: readonly KeptChat[]): SessionInfo[] {
  const kept = new Map(chats.map(({ sessionId, title, at }) => [sessionId, newSession(sessionId, title, at)]));
  const named = sessions.map((session) => {
    const { title = kept.get(session.sessionId)?.title } = session;
    kept.delete(session.sessionId);
    return { ...session, ...(title !== undefined && { title }) };
  });
  if (kept.size === 0) return named;
  return [...named, ...kept.values()].toSorted((one, other) => other.updatedAt - one.updatedAt);
}

function newSession(sessionId: string, title: string, at = Date.now()): SessionInfo {
  return { sessionId, title: cutText(title, longestTitle), createdAt: at, updatedAt: at, turns: 0 };
}

function isIds(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((id) => typeof id === "string");
}
