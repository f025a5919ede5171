import type { MongoFailures } from "@troupe-internal/mongodb";
import type { Logger } from "@troupe/core";
import { sleep } from "@troupe/core/kit";
import type { AggregationCursor } from "mongodb";

/**
 * Milliseconds between the end of a change stream's cursor and the next cursor: the first pause, and the longest pause
 * while no cursor delivers.
 */
const shortestPauseMs = 200;
const longestPauseMs = 3200;

/** Settings and callbacks of a `ChangeWatch`. */
export type ChangeWatchParts = {
  /** Makes a cursor over the changes from its first request on. The signal ends a request that waits for changes. */
  readonly open: (signal: AbortSignal) => Pick<AggregationCursor, "tryNext" | "closed" | "close">;
  /** Called for each change and for each new cursor, because a new cursor does not contain earlier writes. */
  readonly onChange: () => void;
  readonly failures: MongoFailures;
  readonly logger: Logger;
};

/**
 * Listens to the changes of a collection, by any connection, until it is closed. After a failure it opens a new cursor,
 * which need not continue where the last cursor ended: listeners only learn that something may have changed.
 */
export class ChangeWatch {
  readonly #parts: ChangeWatchParts;
  readonly #closed = new AbortController();
  readonly #ended: Promise<void>;
  /** True from the warning about a failed change stream until a cursor delivers again. */
  #isLossTold = false;
  #pauseMs = shortestPauseMs;

  constructor(parts: ChangeWatchParts) {
    this.#parts = parts;
    this.#ended = this.#listen();
  }

  /** Stops listening: `onChange` is never called afterwards. Resolves when the cursor is closed. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#ended;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      try {
        await this.#readChanges(signal);
      } catch (error) {
        this.#tellLoss(error);
      }
      await sleep(this.#pauseMs, signal).catch(() => {});
      this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
    }
  }

  /** Reads a cursor of the change stream until it fails, is closed, or ends with its collection. */
  async #readChanges(signal: AbortSignal): Promise<void> {
    const changes = this.#parts.open(signal);
    try {
      // Each request for changes is answered within a second, with null if there is no change.
      for (let answers = 1; ; answers += 1) {
        const change: unknown = await changes.tryNext();
        if (change !== null || answers === 1) this.#tellChange();
        if (changes.closed) return;
        // The first answer only shows that the stream can be opened, not that it can be read further.
        if (answers > 1) this.#noteDelivery();
      }
    } finally {
      // A failure to close is ignored: if the server is gone, its cursor need not be closed.
      await changes.close().catch(() => {});
    }
  }

  #tellChange(): void {
    if (!this.#closed.signal.aborted) this.#parts.onChange();
  }

  #noteDelivery(): void {
    this.#isLossTold = false;
    this.#pauseMs = shortestPauseMs;
  }

  /** Warns of a failure of the change stream, only once until a cursor delivers again. */
  #tellLoss(error: unknown): void {
    if (this.#closed.signal.aborted || this.#isLossTold) return;
    this.#isLossTold = true;
    const { message } = this.#parts.failures.from(error);
    this.#parts.logger.warn(
      `The change stream ended, and is opened again as soon as possible. Until then changes by other processes are noticed by looking, about once a second. ${message}`,
    );
  }
}
