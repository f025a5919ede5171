import { ownerKey } from "@troupe/core/transport";
import type { RunSettings } from "@troupe/core/transport";

/** The place of a session in a remote agent: its context, and the task that waits for the next message, if there is one. */
export type RemoteContext = { readonly contextId?: string; readonly taskId?: string };

/** The most sessions whose contexts are kept. */
const mostSessions = 1000;

/**
 * The contexts of the sessions of one remote agent. The id of a context follows from the session, so that the next turn is in
 * the same context in another process too; what an agent says of its own is kept in memory, for the newest sessions.
 */
export class RemoteContexts {
  readonly #url: string;
  readonly #known = new Map<string, RemoteContext>();

  constructor(url: URL) {
    this.#url = url.href;
  }

  /** Returns the context of a run's session. A session that nothing can come back to has none. */
  find(settings: RunSettings): RemoteContext {
    const id = this.#idOf(settings);
    if (id === undefined) return {};
    return this.#known.get(id) ?? { contextId: id };
  }

  /** Notes what the agent has said of a session. */
  keep(settings: RunSettings, context: RemoteContext): void {
    const id = this.#idOf(settings);
    if (id === undefined) return;
    this.#known.delete(id);
    this.#known.set(id, { contextId: id, ...context });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostSessions && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Makes the id of a context, from which nobody can tell the session or the user. */
  #idOf(settings: RunSettings): string | undefined {
    const { sessionId, isNamedSession, sessionStorage, parentRunId } = settings;
    if (!isNamedSession) return undefined;
    // A session that ends with the parent run is another one in the next.
    const within = sessionStorage === undefined ? null : parentRunId;
    const facts = [this.#url, ownerKey(settings), sessionId, within];
    const hash = process.getBuiltinModule("node:crypto").hash("sha256", JSON.stringify(facts));
    const groups = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
    return [...groups, hash.slice(20, 32)].join("-");
  }
}
