import type * as Undici from "undici";
import type { Client, Dispatcher } from "undici";
import { TroupeError } from "../../base/errors/troupe-error.ts";

/** Opens an undici client, which has one connection at a time. */
type OpenClient = (origin: URL) => Client;

/** The options of one request for undici's `dispatch`, with its target origin. */
export type UndiciRequest = Dispatcher.DispatchOptions & { origin: string };

type PooledConnection = { readonly origin: string; readonly client: Client; isFree: boolean };

/**
 * Connections that carry one request at a time and are reused for the next request to the same origin. Undici's own
 * `Agent` iterates over all connections before each request and after each end, which is quadratic in the number of
 * streams.
 */
export class ConnectionPool {
  readonly #open: OpenClient;
  readonly #connections = new Set<PooledConnection>();
  /** Idle connections by origin. The last in each array was used last and is the least likely to have been closed. */
  readonly #free = new Map<string, PooledConnection[]>();
  /** The origins of the pool's connections, each parsed once. */
  readonly #origins = new Map<string, URL>();

  constructor(open: OpenClient) {
    this.#open = open;
  }

  /** Number of connections, in use or idle. */
  get size(): number {
    return this.#connections.size;
  }

  /** Sends a request immediately, over an idle connection or a new connection. */
  dispatch(options: UndiciRequest, handler: Dispatcher.DispatchHandler): void {
    const { origin } = options;
    const connection = this.#free.get(origin)?.pop() ?? this.#connect(origin);
    connection.isFree = false;
    const mayTakeMore = connection.client.dispatch(options, handler);
    // If the client cannot take more requests yet, it emits "drain" later, unless it rejected the request and is idle.
    if (mayTakeMore || connection.client.stats.size === 0) this.#release(connection);
  }

  /** Closes all connections, including connections in use. */
  async destroy(): Promise<void> {
    const connections = [...this.#connections];
    this.#connections.clear();
    this.#free.clear();
    await Promise.all(connections.map(({ client }) => client.destroy()));
  }

  #connect(origin: string): PooledConnection {
    const url = this.#origins.get(origin) ?? new URL(origin);
    this.#origins.set(origin, url);
    const connection = { origin, client: this.#open(url), isFree: false };
    this.#connections.add(connection);
    // An aborted request leaves the queue of its undici client only after `disconnect` or `connectionError`.
    const forget = (): void => queueMicrotask(() => this.#forget(connection));
    connection.client
      .on("drain", () => this.#release(connection))
      .on("disconnect", forget)
      .on("connectionError", forget);
    return connection;
  }

  #release(connection: PooledConnection): void {
    if (connection.isFree || !this.#connections.has(connection)) return;
    connection.isFree = true;
    const free = this.#free.get(connection.origin) ?? [];
    this.#free.set(connection.origin, free);
    free.push(connection);
  }

  #forget(connection: PooledConnection): void {
    // If its request was not written yet, the undici client reconnects for that request and stays in use.
    if (connection.client.stats.size > 0) return;
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#origins.clear();
    if (!connection.isFree) return;
    const free = this.#free.get(connection.origin) ?? [];
    free.splice(free.lastIndexOf(connection), 1);
    if (free.length === 0) this.#free.delete(connection.origin);
  }
}

/** Global symbol under which undici and the built-in `fetch` share the dispatcher of the process. */
const builtInFetch = Symbol.for("undici.globalDispatcher.1");

/**
 * Loads undici on first use. On Node 22 its import replaces the dispatcher of the built-in `fetch`; a dispatcher that
 * the host has set, such as a proxy, is restored. Throws `unavailable` on runtimes that cannot use undici, for which
 * `#undici` is another module.
 */
export async function loadUndici(): Promise<typeof Undici> {
  const hostDispatcher: unknown = Reflect.get(globalThis, builtInFetch);
  const undici = await import("#undici");
  if ("isStandIn" in undici) throw withoutUndici();
  if (hostDispatcher !== undefined) Reflect.set(globalThis, builtInFetch, hostDispatcher);
  return undici;
}

function withoutUndici(): TroupeError {
  return new TroupeError(
    "unavailable",
    "This runtime cannot use undici, which proxies and requests to checked addresses need. Run this on Node.js.",
  );
}
