import { longestTimerMs } from "../../base/errors/option-checks.ts";
import { sleep } from "../../base/async/sleep.ts";
import { withTimeout } from "../../base/async/with-timeout.ts";
import type { Logger } from "../../base/log/logger.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { scan } from "../../sessions/session/scan.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver, StorageEntry } from "../../sessions/storage/storage-driver.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import { dueAtOf, readEntry } from "./delivery-record.ts";
import type { DueDelivery } from "./run-notices.ts";

/** Milliseconds between two reads of the outbox, to find deliveries of other processes. */
const lookMs = 10_000;
/** Milliseconds from a storage's hint at a change until the outbox is read. One read serves all hints until then. */
const hintPauseMs = 500;
/**
 * The largest number of pages of the outbox that are read at once. The next read continues after them, a little later.
 */
const mostPages = 20;
/**
 * Milliseconds for which a delivery still counts as in flight after the storage failed, so that it is not retried at
 * once.
 */
const faultPauseMs = 5000;
/** The longest time in milliseconds that the end of a process waits for attempts in progress. */
const longestEndMs = 5000;

type Init = {
  readonly storage: StorageDriver;
  readonly now: () => number;
  readonly logger: Logger | undefined;
  /**
   * Returns true to listen to the storage's hints, which cost some databases a connection. Otherwise only the periodic
   * reads find deliveries of other processes.
   */
  readonly watches: () => boolean;
  /** Returns true if this process may send a delivery that is due. Other deliveries are left to other processes. */
  readonly isKnown: (due: DueDelivery) => boolean;
  /**
   * Makes one attempt at a delivery. Returns the time at which the delivery is due again; undefined if it is not due
   * again.
   */
  readonly attempt: (due: DueDelivery, signal: AbortSignal) => Promise<number | undefined>;
};

/**
 * Sends the deliveries in the outbox when they are due, from `start` to `stop`. This process passes its new deliveries
 * to `offer`. Deliveries of other processes, which may have died, are found by reading the outbox.
 */
export class Outbox {
  readonly #init: Init;
  readonly #queue = new DeliveryQueue();
  readonly #working = new Set<Promise<void>>();
  #abort = new AbortController();
  #stopping = new AbortController();
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;
  /** The time at which the timer `#wake` reads the outbox for a delivery that is not due yet. */
  #wakesAt = Infinity;
  #wake: NodeJS.Timeout | undefined;
  #hint: NodeJS.Timeout | undefined;
  #unwatch: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #looksAgain = false;
  /** True if due deliveries were left in the outbox because the queue was full, or were not read yet. */
  #isPartial = false;
  /** The key of the outbox after which the next read begins. */
  #after: string | undefined;

  constructor(init: Init) {
    this.#init = init;
  }

  /** Begins to send deliveries. The timers do not keep the process alive. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#abort = new AbortController();
    this.#stopping = new AbortController();
    const isInMemory = this.#init.storage instanceof InMemoryStorage;
    this.watch();
    // A storage in memory gives a hint at each change, so that it need not be polled.
    if (!isInMemory) this.#timer = setInterval(() => void this.look(), lookMs).unref();
    void this.look();
  }

  /** Starts to listen to the storage's hints while deliveries are sent, if `watches` returns true by now. */
  watch(): void {
    const { storage, watches } = this.#init;
    if (!this.#isRunning || !(watches() || storage instanceof InMemoryStorage)) return;
    this.#unwatch ??= storage.watch?.(runNamespaces.outbox, () => this.#onHint());
  }

  /** Resolves when the outbox is empty, or when no more attempts are begun. */
  async emptied(): Promise<void> {
    while (this.#isRunning) {
      await this.look();
      await Promise.all(this.#working);
      const [next] = await this.#init.storage.list(runNamespaces.outbox, "", { limit: 1 });
      if (next === undefined) return;
      const waitMs = Math.min(Math.max(1, dueAtOf(next.key) - this.#init.now()), hintPauseMs);
      await sleep(waitMs, this.#stopping.signal).catch(() => undefined);
    }
  }

  /** Begins no more attempts, and resolves when the attempts in progress are over or were given up. */
  async stop(graceMs: number): Promise<void> {
    this.#isRunning = false;
    this.#stopping.abort();
    clearInterval(this.#timer);
    clearTimeout(this.#wake);
    this.#wakesAt = Infinity;
    clearTimeout(this.#hint);
    this.#hint = undefined;
    this.#unwatch?.();
    this.#unwatch = undefined;
    const over = Promise.all([this.#looking, ...this.#working]);
    const timeoutMs = Math.min(graceMs, longestEndMs);
    await withTimeout(over, { timeoutMs, onTimeout: () => this.#abort.abort() });
    await over;
  }

  /** Queues a new delivery of this process that is due now. */
  offer(due: DueDelivery): void {
    if (!this.#isRunning || !this.#init.isKnown(due)) return;
    if (!this.#queue.add(due)) this.#isPartial = true;
    this.#sendNext();
  }

  /** Reads the outbox and sends its due deliveries. Never rejects. */
  async look(): Promise<void> {
    if (!this.#isRunning) return;
    this.#looksAgain = this.#looking !== undefined;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#looksAgain) void this.look();
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    try {
      await this.#read();
    } catch (error) {
      this.#init.logger?.warn("The outbox of webhooks could not be read. That is tried again.", { error });
    }
    this.#sendNext();
    // Normally the end of a delivery causes the next read. Here no delivery is in progress, so the outbox is read again
    // at once.
    if (this.#isPartial && this.#working.size === 0) this.#looksAgain = true;
  }

  /** Reads the next pages of the outbox, up to the first delivery that is not due yet. */
  async #read(): Promise<void> {
    const begin = this.#after;
    this.#after = undefined;
    let pages = 0;
    let isPartial = begin !== undefined;
    for await (const page of scan(this.#init.storage, { namespace: runNamespaces.outbox, prefix: "", after: begin })) {
      const { isFull, isOver } = this.#addDue(page);
      isPartial ||= isFull;
      this.#sendNext();
      if (isOver || !this.#isRunning) break;
      pages += 1;
      if (pages < mostPages) continue;
      this.#after = page.at(-1)?.key;
      isPartial = true;
      this.#wakeAt(this.#init.now() + hintPauseMs);
      break;
    }
    this.#isPartial = isPartial;
  }

  /**
   * Adds the due deliveries of a page to the queue. `isFull` is true if the queue had no room for some of them, and
   * `isOver` if the page contains a delivery that is not due yet.
   */
  #addDue(page: readonly StorageEntry[]): { isFull: boolean; isOver: boolean } {
    const now = this.#init.now();
    let isFull = false;
    for (const { key, value } of page) {
      const dueAt = dueAtOf(key);
      if (dueAt > now) {
        this.#wakeAt(dueAt);
        return { isFull, isOver: true };
      }
      const entry = readEntry(value);
      if (entry === undefined || !this.#init.isKnown({ key, entry })) continue;
      if (!this.#queue.add({ key, entry })) isFull = true;
    }
    return { isFull, isOver: false };
  }

  #sendNext(): void {
    for (let due = this.#take(); due !== undefined; due = this.#take()) {
      const work = this.#send(due);
      this.#working.add(work);
      void work.finally(() => this.#working.delete(work));
    }
  }

  #take(): DueDelivery | undefined {
    return this.#isRunning ? this.#queue.take() : undefined;
  }

  async #send(due: DueDelivery): Promise<void> {
    const { signal } = this.#abort;
    try {
      const dueAt = await this.#init.attempt(due, signal);
      if (dueAt !== undefined) this.#wakeAt(dueAt);
    } catch (error) {
      this.#init.logger?.warn("A webhook waits for its storage.", { error });
      await sleep(faultPauseMs, signal).catch(() => undefined);
    }
    const isLast = this.#queue.done(due);
    this.#sendNext();
    if (isLast && this.#isPartial) void this.look();
  }

  /** Plans a read of the outbox at a time, unless an earlier read is planned. */
  #wakeAt(at: number): void {
    if (!this.#isRunning || this.#wakesAt <= at) return;
    clearTimeout(this.#wake);
    this.#wakesAt = at;
    const waitMs = Math.min(Math.max(0, at - this.#init.now()), longestTimerMs);
    this.#wake = setTimeout(() => {
      this.#wakesAt = Infinity;
      void this.look();
    }, waitMs).unref();
  }

  #onHint(): void {
    this.#hint ??= setTimeout(() => {
      this.#hint = undefined;
      void this.look();
    }, hintPauseMs).unref();
  }
}
