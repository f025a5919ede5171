import { ownerKey } from "@troupe/core/transport";
import type { RunSettings } from "@troupe/core/transport";

/** A session's context at a remote agent, and the task there that waits for the next message, if any. */
export type RemoteContext = { readonly contextId?: string; readonly taskId?: string };

/** The largest number of sessions whose contexts at a remote agent are kept in memory. */
const mostSessions = 1000;

/**
 * The remote contexts of the sessions of one remote agent. A context id is derived from the session, so that another
 * process continues in the same context. Ids that the agent chose are kept in memory, for the newest sessions.
 */
export class RemoteContexts {
  readonly #url: string;
  readonly #known = new Map<string, RemoteContext>();

  constructor(url: URL) {
    this.#url = url.href;
  }

  /**
   * Returns the context that a run's session has at the remote agent. For a session that no later run can continue,
   * returns an object without ids, so that the agent begins a new context.
   */
  find(settings: RunSettings): RemoteContext {
    const id = this.#idOf(settings);
    if (id === undefined) return {};
    return this.#known.get(id) ?? { contextId: id };
  }

  /** Stores the context that the agent reported for a session. */
  keep(settings: RunSettings, context: RemoteContext): void {
    const id = this.#idOf(settings);
    if (id === undefined) return;
    this.#known.delete(id);
    this.#known.set(id, { contextId: id, ...context });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostSessions && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Derives a context id that does not reveal the session or the user. Undefined for a session without an id. */
  #idOf(settings: RunSettings): string | undefined {
    const { sessionId, isNamedSession, sessionStorage, parentRunId } = settings;
    if (!isNamedSession) return undefined;
    // A session without a storage ends with its parent run, so each parent run gets its own context.
    const within = sessionStorage === undefined ? null : parentRunId;
    const facts = [this.#url, ownerKey(settings), sessionId, within];
    const hash = process.getBuiltinModule("node:crypto").hash("sha256", JSON.stringify(facts));
    const groups = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
    return [...groups, hash.slice(20, 32)].join("-");
  }
}
