import { createHash } from "node:crypto";
import { withTimeout } from "@troupe/core/kit";
import type { Connections } from "@troupe-internal/postgres";

/** The least time between two notifications of a process, in milliseconds: readers look no more often than that. */
const pauseMs = 20;

/** A server that hangs must not keep the storage open for long. */
const closeTimeoutMs = 1000;

/**
 * Tells if other processes are notified of the records of a namespace: those of durable runs are the ones for which
 * processes wait. Every other write is spared the notification.
 */
export function isAnnounced(namespace: string): boolean {
  return namespace.startsWith("run-");
}

/** Returns the name of the channel of a table. PostgreSQL takes at most 63 bytes, fewer than a table with its schema can have. */
export function channelOf(table: string): string {
  return `troupe_${createHash("sha256").update(table).digest("hex").slice(0, 32)}`;
}

/**
 * Notifies other processes of writes, each of which is stored by then. Not within the statement of the write: PostgreSQL
 * commits one notifying transaction at a time, so that writers would wait for each other's disk. A notification alone
 * waits for no disk. One that is lost costs the readers no more than the wait for their next look.
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

  /** Sends a notification at once, or at the end of the pause after the last one, for all writes until then. */
  announce(): void {
    this.#isDue = true;
    if (this.#pause === undefined && this.#sending === undefined) this.#sending = this.#send();
  }

  /** Sends what is due. */
  async close(): Promise<void> {
    await withTimeout(this.#sendLast(), { timeoutMs: closeTimeoutMs, onTimeout: () => {} });
    clearTimeout(this.#pause);
  }

  async #sendLast(): Promise<void> {
    await this.#sending;
    if (this.#isDue) await this.#send();
  }

  /** Never rejects: the write that it tells of is done. */
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
