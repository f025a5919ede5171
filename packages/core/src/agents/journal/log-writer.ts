import { sleep } from "../../base/async/sleep.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isInvalid } from "../../sessions/storage/storage-failure.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { logKey, logRecord, runNamespaces } from "./log-entry.ts";
import type { LogEntry, LogRecord } from "./log-entry.ts";
import { RunPaused } from "../run/run-paused.ts";

/** Milliseconds for which entries of run logs are gathered before they are written. */
const tickMs = 50;

/** Milliseconds to pause before each retry of a failed write of a log record. */
const retryPausesMs: readonly number[] = [50, 200, 800];

/** The maximum number of a run's unwritten entries. Beyond it the attempt waits for the storage. */
const maxUnwritten = 1024;

/** Called with each record of a run's log after it is stored. */
export type StoredListener = (runId: string, number: number, record: LogRecord) => void;

/** A record of a run's log that is being written, with the log and the record's number. */
type Write = { readonly log: RunLog; readonly number: number; readonly record: LogRecord };

/**
 * The writer of the run logs of a process. Gathers the entries of all runs for `tickMs`, and writes them with one
 * insert. If an entry is urgent, all gathered entries are written with it immediately.
 */
export class LogWriter {
  readonly #storage: StorageDriver;
  /** The run logs that have entries which are not written yet. */
  readonly #waiting = new Set<RunLog>();
  readonly #listeners = new Set<StoredListener>();
  #timer: NodeJS.Timeout | undefined;
  #isUrgent = false;
  #isWriting = false;
  /** The monotonic time at which the last write began. */
  #beganAtMs = -Infinity;

  constructor(storage: StorageDriver) {
    this.#storage = storage;
  }

  /** Returns the log of a run for one attempt, which adds records from number `next` on. */
  open(runId: string, next: number): RunLog {
    return new RunLog(runId, next, (log, isUrgent) => this.#add(log, isUrgent));
  }

  /**
   * Calls the listener with each log record that is stored from now on. Returns a function that removes the listener.
   */
  onStored(listener: StoredListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #add(log: RunLog, isUrgent: boolean): void {
    this.#waiting.add(log);
    if (isUrgent && !this.#isUrgent) {
      this.#isUrgent = true;
      // The write is deferred, to include entries that the same turn of the event loop adds.
      if (!this.#isWriting) setImmediate(this.#write);
    }
    if (!this.#isWriting) this.#timer ??= setTimeout(this.#write, tickMs);
  }

  readonly #write = (): void => {
    if (this.#isWriting) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isUrgent = false;
    const writes = [...this.#waiting].flatMap((log) => log.take() ?? []);
    this.#waiting.clear();
    if (writes.length === 0) return;
    this.#isWriting = true;
    this.#beganAtMs = performance.now();
    void this.#writeAll(writes);
  };

  /** Writes log records of several runs. A failure ends the log of its run; the promise does not reject. */
  async #writeAll(writes: readonly Write[]): Promise<void> {
    const isStored = await this.#insert(writes).catch(() => undefined);
    // After a failure the log records are written one by one, because the record of a single run may be the cause.
    if (isStored === undefined) await Promise.all(writes.map((write) => this.#writeOne(write)));
    for (const [index, inserted] of (isStored ?? []).entries()) {
      const write = writes[index];
      if (inserted && write !== undefined) this.#finish(write);
      else write?.log.fail(new RunPaused("overtaken"));
    }
    this.#isWriting = false;
    if (this.#waiting.size > 0) this.#writeOn();
  }

  /**
   * Schedules the write of the entries that were added during a write: `tickMs` after the beginning of that write. They
   * are written at once if that time has passed or an entry is urgent.
   */
  #writeOn(): void {
    const restMs = tickMs - (performance.now() - this.#beganAtMs);
    if (this.#isUrgent || restMs <= 0) setImmediate(this.#write);
    else this.#timer ??= setTimeout(this.#write, restMs);
  }

  async #insert(writes: readonly Write[]): Promise<boolean[]> {
    const storage = this.#storage;
    const records = writes.map(toStorageWrite);
    if (storage.insertAll !== undefined) return await storage.insertAll(records);
    return await Promise.all(
      records.map(async ({ namespace, key, value }) => {
        if ((await storage.compareAndSet?.(namespace, key, null, value)) === true) return true;
        // An existing record that is equal must be this record itself, for example after a write that the driver
        // repeated.
        return equalJson(await storage.get(namespace, key), value);
      }),
    );
  }

  /** Writes a single log record. An earlier write of the same record may have succeeded although it seemed to fail. */
  async #writeOne(write: Write): Promise<void> {
    const { log } = write;
    for (let failures = 0; ; failures++) {
      try {
        const { namespace, key, value } = toStorageWrite(write);
        const isNew = await this.#storage.compareAndSet?.(namespace, key, null, value);
        // An existing record may be this record, stored by an earlier attempt that seemed to fail.
        if (isNew === true || equalJson(await this.#storage.get(namespace, key), value)) return this.#finish(write);
        return log.fail(new RunPaused("overtaken"));
      } catch (error) {
        if (isInvalid(error)) return await this.#writeParts(write, error);
        const pauseMs = retryPausesMs[failures];
        if (pauseMs === undefined) return log.fail(new RunPaused("failed", error));
        await sleep(pauseMs);
      }
    }
  }

  /** Writes a log record in parts if the storage rejects it as a whole, for example because it is too large. */
  async #writeParts(write: Write, error: unknown): Promise<void> {
    const { log, record } = write;
    const middle = Math.ceil(record.entries.length / 2);
    if (middle === record.entries.length) return log.fail(new RunPaused("failed", error));
    log.putBack(record.entries.slice(middle));
    await this.#writeOne({ ...write, record: logRecord(record.entries.slice(0, middle)) });
  }

  #finish({ log, number, record }: Write): void {
    if (log.finish()) this.#waiting.add(log);
    for (const listener of this.#listeners) listener(log.runId, number, record);
  }
}

function toStorageWrite({ log, number, record }: Write): { namespace: string; key: string; value: Json } {
  return { namespace: runNamespaces.log, key: logKey(log.runId, number), value: record as unknown as Json };
}

/** The log of one run, written by one attempt. Records are written one at a time, in order. */
export class RunLog {
  readonly runId: string;
  readonly #onEntry: (log: RunLog, isUrgent: boolean) => void;
  /** The number of the log's next record to write. */
  #next: number;
  #entries: LogEntry[] = [];
  #count = 0;
  #isWriting = false;
  #failure: RunPaused | undefined;
  #isClosed = false;
  #onFailure: (reason: RunPaused) => void = () => {};
  /** Resolved when all entries added to the log are stored. */
  #stored: PromiseWithResolvers<void> | undefined;

  constructor(runId: string, next: number, onEntry: (log: RunLog, isUrgent: boolean) => void) {
    this.runId = runId;
    this.#next = next;
    this.#onEntry = onEntry;
  }

  /** Sets the function that is called once if the log cannot be written any more. */
  set onFailure(listener: (reason: RunPaused) => void) {
    this.#onFailure = listener;
  }

  /** True if so many entries of the log wait for the storage that the run should wait, too. */
  get isFull(): boolean {
    return this.#count > maxUnwritten;
  }

  /**
   * Adds an entry to the run's log. Consecutive chunks of one step are merged. After a failure, or once the log is
   * closed, nothing is added.
   */
  add(entry: LogEntry, isUrgent = false): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#count += 1;
    const last = this.#entries.at(-1);
    if (entry.t === "chunks" && last?.t === "chunks" && last.step === entry.step) {
      (last.chunks as unknown[]).push(...entry.chunks);
    } else {
      this.#entries.push(entry);
    }
    this.#onEntry(this, isUrgent);
  }

  /** Closes the run's log: later entries are dropped, and entries already added are still written. */
  close(): void {
    this.#isClosed = true;
  }

  /** Writes the entries of the run's log immediately, if there are any. */
  urge(): void {
    if (this.#entries.length > 0) this.#onEntry(this, true);
  }

  /** Waits until all entries of the log are stored. Rejects with the `RunPaused` of a log that cannot be written. */
  stored(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#entries.length === 0 && !this.#isWriting) return Promise.resolve();
    if (this.#stored === undefined) {
      this.#stored = Promise.withResolvers<void>();
      this.#stored.promise.catch(() => undefined);
    }
    return this.#stored.promise;
  }

  /**
   * Returns the log's next record to write. Returns undefined while another record is being written, if there are no
   * entries, and after a failure.
   */
  take(): Write | undefined {
    if (this.#isWriting || this.#failure !== undefined || this.#entries.length === 0) return undefined;
    this.#isWriting = true;
    const record = logRecord(this.#entries);
    this.#entries = [];
    this.#count = 0;
    return { log: this, number: this.#next, record };
  }

  /** Puts entries that `take` returned back into the log: they become the first entries of the next record. */
  putBack(entries: readonly LogEntry[]): void {
    this.#entries = [...entries, ...this.#entries];
    this.#count += entries.length;
  }

  /** Notes that the log record being written was stored. Returns true if the log has more entries to write. */
  finish(): boolean {
    this.#isWriting = false;
    this.#next += 1;
    if (this.#entries.length > 0) return true;
    this.#stored?.resolve();
    this.#stored = undefined;
    return false;
  }

  /**
   * Ends the run's log: waiting entries are not written, and `onFailure` is called. Only the first call has an effect.
   */
  fail(reason: RunPaused): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#entries = [];
    this.#stored?.reject(reason);
    this.#onFailure(reason);
  }
}
