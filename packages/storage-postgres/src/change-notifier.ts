import { createHash } from "node:crypto";
import { withTimeout } from "@troupe/core/kit";
import type { Connections } from "@troupe-internal/postgres";

/** Shortest time between two notifications of a process in milliseconds, because readers do not read more often. */
const pauseMs = 20;

/** Milliseconds for closing, so that a server that hangs does not keep the storage open for long. */
const closeTimeoutMs = 1000;

/**
 * Returns true if other processes are notified of the records of a namespace. Only namespaces of durable runs are
 * announced, because processes wait for them.
 */
export function isAnnounced(namespace: string): boolean {
  return namespace.startsWith("run-");
}

/**
 * Returns the channel name of a table, as a hash: PostgreSQL allows at most 63 bytes, fewer than a table name with
 * schema may have.
 */
export function channelOf(table: string): string {
  return `troupe_${createHash("sha256").update(table).digest("hex").slice(0, 32)}`;
}

/**
 * Notifies other processes of stored writes. The notification is not part of the writing statement, because PostgreSQL
 * commits notifying transactions one at a time: writers would wait for each other's disk. A separate notification waits
 * for no disk. If it is lost, readers find the write with their next poll.
 */
export class ChangeNotifier {
  readonly #connections: Connections;
  readonly #channel: string;
  #pause: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isDue = false;

  constructor(connections: Connections, channel: string) {
    this.#connections = connections;
    this.#channel = channel;
  }

  /** Sends a notification for all writes so far: at once, or after the pause since the last notification. */
  announce(): void {
    this.#isDue = true;
    if (this.#pause === undefined && this.#sending === undefined) this.#sending = this.#send();
  }

  /** Sends the pending notification, if any. Waits for it at most a second. */
  async close(): Promise<void> {
    await withTimeout(this.#sendLast(), { timeoutMs: closeTimeoutMs, onTimeout: () => {} });
    clearTimeout(this.#pause);
  }

  async #sendLast(): Promise<void> {
    await this.#sending;
    if (this.#isDue) await this.#send();
  }

  /** Sends a notification. Never rejects, because the announced write has already succeeded. */
  async #send(): Promise<void> {
    this.#isDue = false;
    const statement = { sql: "select pg_notify($1, '')", parameters: [this.#channel] };
    await this.#connections.useRepeatedly(async (query) => await query(statement)).catch(() => {});
    this.#sending = undefined;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#isDue) this.announce();
    }, pauseMs).unref();
  }
}
