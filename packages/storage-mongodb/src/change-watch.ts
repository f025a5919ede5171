import type { MongoFailures } from "@troupe-internal/mongodb";
import type { Logger } from "@troupe/core";
import { sleep } from "@troupe/core/kit";
import type { AggregationCursor } from "mongodb";

/** Milliseconds between the end of a cursor and the next one: at first, and at most while none delivers. */
const shortestPauseMs = 200;
const longestPauseMs = 3200;

/** Parts of a `ChangeWatch`. */
export type ChangeWatchParts = {
  /** Makes a cursor over the changes from its first request on. The signal ends a request that waits for some. */
  readonly open: (signal: AbortSignal) => Pick<AggregationCursor, "tryNext" | "closed" | "close">;
  /** Called for each change, and for each new cursor: what was written before it is not in it. */
  readonly onChange: () => void;
  readonly failures: MongoFailures;
  readonly logger: Logger;
};

/**
 * Listens to the changes of a collection, by whatever connection, until it is closed. After a failure a new cursor begins:
 * that something may have changed is all that is told, so none has to go on where another ended.
 */
export class ChangeWatch {
  readonly #parts: ChangeWatchParts;
  readonly #closed = new AbortController();
  readonly #ended: Promise<void>;
  /** True from a warning of a loss until a cursor delivers again. */
  #isLossTold = false;
  #pauseMs = shortestPauseMs;

  constructor(parts: ChangeWatchParts) {
    this.#parts = parts;
    this.#ended = this.#listen();
  }

  /** Ends the listening: no call of `onChange` comes after the call. Resolves when the cursor is closed. */
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

  /** Reads one cursor until it fails, is closed, or ends with its collection. */
  async #readChanges(signal: AbortSignal): Promise<void> {
    const changes = this.#parts.open(signal);
    try {
      // Answers after a second at most, with null when there is no change.
      for (let answers = 1; ; answers += 1) {
        const change: unknown = await changes.tryNext();
        if (change !== null || answers === 1) this.#tellChange();
        if (changes.closed) return;
        // The first answer shows that a stream can be opened, not that it can be read on.
        if (answers > 1) this.#noteDelivery();
      }
    } finally {
      // A cursor whose server is gone need not be closed there.
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

  /** Warns once until a cursor delivers again. */
  #tellLoss(error: unknown): void {
    if (this.#closed.signal.aborted || this.#isLossTold) return;
    this.#isLossTold = true;
    const { message } = this.#parts.failures.from(error);
    this.#parts.logger.warn(
      `The change stream ended, and is opened again as soon as possible. Until then changes by other processes are noticed by looking, about once a second. ${message}`,
    );
  }
}
