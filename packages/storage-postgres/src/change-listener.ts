import type { Connections, PostgresPool } from "@troupe-internal/postgres";
import { ListeningConnection } from "./listening-connection.ts";

/** Milliseconds between two hints of possible changes, which replace notifications while none arrive. */
const hintMs = 100;

/** One listener for all storages on a pool, so that a process needs only one connection for them. */
const listeners = new WeakMap<PostgresPool, ChangeListener>();

/** Returns the change listener of a pool. */
export function listenerOf(pool: PostgresPool, connections: Connections): ChangeListener {
  const listener = listeners.get(pool) ?? new ChangeListener(pool, connections);
  listeners.set(pool, listener);
  return listener;
}

/**
 * Listens to channels of a database, over a separate connection while there are callbacks. If no notifications arrive,
 * a timer gives hints instead, and the process emits one warning for each reason.
 */
export class ChangeListener {
  readonly #pool: PostgresPool;
  readonly #connections: Connections;
  readonly #callbacks = new Map<string, Set<{ readonly call: () => void }>>();
  /** The reasons for missing notifications that this listener has already warned of. */
  readonly #warned = new Set<string>();
  #connection: ListeningConnection | undefined;
  #hints: NodeJS.Timeout | undefined;

  constructor(pool: PostgresPool, connections: Connections) {
    this.#pool = pool;
    this.#connections = connections;
  }

  /**
   * Calls `onChange` when another process may have notified the channel. Returns the function that ends these calls.
   */
  add(channel: string, onChange: () => void): () => void {
    const entry = { call: onChange };
    const known = this.#callbacks.get(channel);
    if (known === undefined) this.#callbacks.set(channel, new Set([entry]));
    else known.add(entry);
    if (this.#connection === undefined) this.#start();
    else if (known === undefined) this.#connection.listen(channel);
    return () => {
      const entries = this.#callbacks.get(channel);
      if (entries?.delete(entry) === true && entries.size === 0) this.#callbacks.delete(channel);
      if (this.#callbacks.size === 0) this.#stop();
    };
  }

  #start(): void {
    const connection = new ListeningConnection({
      pool: this.#pool,
      connections: this.#connections,
      channels: () => [...this.#callbacks.keys()],
      onChange: (channel) => this.#call(channel),
      onUnnotified: (reason) => this.#warn(reason),
    });
    this.#connection = connection;
    this.#hints = setInterval(() => {
      if (!connection.isReceiving) for (const channel of this.#callbacks.keys()) this.#call(channel);
    }, hintMs).unref();
  }

  #stop(): void {
    clearInterval(this.#hints);
    this.#connection?.close();
    this.#connection = undefined;
  }

  #call(channel: string): void {
    for (const { call } of this.#callbacks.get(channel) ?? []) call();
  }

  #warn(reason: string): void {
    if (this.#warned.has(reason)) return;
    this.#warned.add(reason);
    const sentence = `PostgresStorage gets no notifications from PostgreSQL, and looks for the writes of other processes ten times a second instead, which costs a query each time: ${reason}`;
    process.emitWarning(sentence, { type: "TroupeWarning", code: "no_notifications" });
  }
}
