import type { Client, Dispatcher } from "undici";

/** Opens a client of undici's, which is one connection at a time. */
export type OpenClient = (origin: string) => Client;

/** A request as undici takes it, and where it goes. */
export type RequestOptions = Dispatcher.DispatchOptions & { origin: string };

type Connection = { readonly origin: string; readonly client: Client; isFree: boolean };

/**
 * Connections that carry one request at a time, and are kept for the next one to the same origin. Undici's own `Agent`
 * counts all connections whenever one of them ends, and looks through them before each request: of a thousand streams
 * that end at once, each would cost a thousand steps.
 */
export class ConnectionPool {
  readonly #open: OpenClient;
  readonly #connections = new Set<Connection>();
  /** Those that wait for a request, by their origin; the last one was used last, and is the least likely to have ended. */
  readonly #free = new Map<string, Connection[]>();

  constructor(open: OpenClient) {
    this.#open = open;
  }

  /** How many connections there are, at work or kept. */
  get size(): number {
    return this.#connections.size;
  }

  /** Sends a request at once: there are as many connections as there are requests. */
  dispatch(options: RequestOptions, handler: Dispatcher.DispatchHandler): void {
    const { origin } = options;
    const connection = this.#free.get(origin)?.pop() ?? this.#connect(origin);
    connection.isFree = false;
    const mayTakeMore = connection.client.dispatch(options, handler);
    // Otherwise it says by itself when it may, unless it refused the request: then it has nothing to do.
    if (mayTakeMore || connection.client.stats.size === 0) this.#release(connection);
  }

  /** Ends all connections, also those at work. */
  async destroy(): Promise<void> {
    const connections = [...this.#connections];
    this.#connections.clear();
    this.#free.clear();
    await Promise.all(connections.map(({ client }) => client.destroy()));
  }

  #connect(origin: string): Connection {
    const connection = { origin, client: this.#open(origin), isFree: false };
    this.#connections.add(connection);
    // An aborted request leaves its client's queue only when the events have been heard.
    const forget = (): void => queueMicrotask(() => this.#forget(connection));
    connection.client
      .on("drain", () => this.#release(connection))
      .on("disconnect", forget)
      .on("connectionError", forget);
    return connection;
  }

  #release(connection: Connection): void {
    if (connection.isFree || !this.#connections.has(connection)) return;
    connection.isFree = true;
    const free = this.#free.get(connection.origin) ?? [];
    this.#free.set(connection.origin, free);
    free.push(connection);
  }

  #forget(connection: Connection): void {
    // A client connects anew for a request that had not been written yet.
    if (connection.client.stats.size > 0) return;
    this.#connections.delete(connection);
    if (!connection.isFree) return;
    const free = this.#free.get(connection.origin) ?? [];
    free.splice(free.lastIndexOf(connection), 1);
    if (free.length === 0) this.#free.delete(connection.origin);
  }
}
