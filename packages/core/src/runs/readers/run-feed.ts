import { readLogPage, readLog } from "../../agents/journal/read-log.ts";
import type { NumberedRecord } from "../../agents/journal/read-log.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { isUnavailable } from "../../sessions/storage/storage-failure.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { LogEntry, LogRecord } from "../../agents/journal/log-entry.ts";
import type { RunEvent } from "../record/run-view.ts";

/**
 * The number of newest log records that the readers of a run share in memory, instead of reading them from the storage.
 */
export const keptRecords = 16;
/**
 * The maximum number of log records that a reader receives at a time, so that a slow reader keeps no more in memory.
 */
const pageSize = 32;
/** Milliseconds for which readers wait for an unreachable storage, such as a restarting database. */
const outageMs = 30_000;

/**
 * The log of one run, shared by its readers in this process: the newest records, the number of the last record, and the
 * readers that wait for more.
 */
export class RunFeed {
  readonly runId: string;
  readonly #storage: StorageDriver;
  readonly waiters = new Set<() => void>();
  /** Reads in progress, by the number of the record after which they read. */
  readonly #reads = new Map<number, Promise<EventPage[]>>();
  readonly #newest: KeptRecord[] = [];
  readers = 0;
  /** The number of the last known record of the run's log. */
  last = 0;
  failure: Error | undefined;
  /**
   * The monotonic time of the newest record or, if later, of the last check whether a run without new records is over.
   */
  quietSinceMs = performance.now();
  /** The monotonic time at which the last read that reached the end of the log began. */
  endAtMs = -Infinity;
  #failingSinceMs: number | undefined;

  constructor(runId: string, storage: StorageDriver) {
    this.runId = runId;
    this.#storage = storage;
  }

  /**
   * Returns records after a number; an empty array if there are none yet. Readers at the same position share a read.
   */
  async read(after: number): Promise<readonly EventPage[]> {
    if (this.failure !== undefined) throw this.failure;
    const [first] = this.#newest;
    if (first !== undefined && first.number <= after + 1 && this.#newest.at(-1)?.number === this.last) {
      return this.#newest.filter(({ number }) => number > after).map((kept) => kept.events);
    }
    const reading = this.#reads.get(after) ?? this.#startRead(after);
    return await reading;
  }

  /** Adds a record that was stored in the run's log. */
  push(stored: NumberedRecord): void {
    const { number } = stored;
    if (number <= this.last && this.#newest.length > 0) return;
    // The shared records must have no gap, so older records before a gap are dropped.
    if (this.#newest.at(-1)?.number !== number - 1) this.#newest.length = 0;
    this.#newest.push(new KeptRecord(stored));
    if (this.#newest.length > keptRecords) this.#newest.shift();
    this.last = Math.max(this.last, number);
    this.quietSinceMs = performance.now();
    this.wake();
  }

  /** Notes that the storage has answered a read of the log. */
  recover(): void {
    this.#failingSinceMs = undefined;
  }

  /**
   * Notes that the log could not be read. Returns true if the readers should keep waiting, because the storage may be
   * restarting.
   */
  noteFailure(error: unknown): boolean {
    if (this.failure !== undefined || this.#storage instanceof InMemoryStorage || !isUnavailable(error)) return false;
    this.#failingSinceMs ??= performance.now();
    return performance.now() - this.#failingSinceMs < outageMs;
  }

  wake(): void {
    for (const waiter of this.waiters) waiter();
    this.waiters.clear();
  }

  async #startRead(after: number): Promise<EventPage[]> {
    const startedAtMs = performance.now();
    const reading = readLogPage(this.#storage, this.runId, { after, limit: pageSize }).then((page) =>
      page.map(toEvents),
    );
    this.#reads.set(after, reading);
    try {
      const page = await reading;
      this.recover();
      if (page.length < pageSize) this.endAtMs = startedAtMs;
      const last = page.at(-1)?.number ?? after;
      // The record was read before its writer announced it, so other readers may still wait for it.
      if (last > this.last) this.wake();
      this.last = Math.max(this.last, last);
      return page;
    } finally {
      this.#reads.delete(after);
    }
  }
}

/** A record that readers share. Its events are created for the first reader. */
class KeptRecord {
  readonly number: number;
  #stored: NumberedRecord | undefined;
  #events: EventPage | undefined;

  constructor(stored: NumberedRecord) {
    this.number = stored.number;
    this.#stored = stored;
  }

  get events(): EventPage {
    if (this.#stored !== undefined) this.#events = toEvents(this.#stored);
    this.#stored = undefined;
    return this.#events as EventPage;
  }
}

/** The position of an event: the number of its log record, and its index within that record. */
export type Position = { readonly number: number; readonly index: number };

/**
 * A log record in the form for readers of the run. `cutFrom`: the number of events that the record had before its
 * chunks were removed.
 */
export type EventPage = {
  readonly number: number;
  readonly events: readonly RunEvent[];
  readonly cutFrom?: number | undefined;
};

/** A log record whose chunks were removed, because the run had too many. */
export type CutRecord = LogRecord & { readonly cutFrom: number };

/** Reads the id of an event. Throws `invalid_request` if it is not an event id. */
export function parsePosition(id: string): Position {
  const [, number, index] = (typeof id === "string" && /^([1-9]\d{0,11})\.(\d{1,9})$/.exec(id)) || [];
  if (number !== undefined && index !== undefined) return { number: Number(number), index: Number(index) };
  throw new TroupeError(
    "invalid_request",
    "The position must be the id of an event of this run. Leave it out for all events.",
  );
}

/** Returns the events of a log record, in the form for the readers of its run. */
export function toEvents({ number, record }: NumberedRecord): EventPage {
  const events: RunEvent[] = [];
  const nextId = () => `${number}.${events.length}`;
  for (const entry of record.entries) {
    if (entry.t === "chunks") {
      for (const chunk of entry.chunks) events.push({ type: "chunk", step: entry.step, chunk, id: nextId() });
    } else if (entry.t !== "left") {
      events.push({ ...eventOf(entry), id: nextId() });
    }
    if (entry.t !== "attempt") continue;
    for (const step of entry.void ?? []) events.push({ type: "reset", step, id: nextId() });
  }
  return { number, events, cutFrom: (record as Partial<CutRecord>).cutFrom };
}

type Event = RunEvent extends infer Each ? (Each extends RunEvent ? Omit<Each, "id"> : never) : never;

function eventOf(entry: Exclude<LogEntry, { t: "chunks" | "left" }>): Event {
  switch (entry.t) {
    case "attempt":
      return { type: "attempt", attempt: entry.n, node: entry.node, ...timeOf(entry) };
    case "call":
      return {
        type: "call",
        step: entry.step,
        toolName: entry.tool,
        args: entry.args,
        effect: entry.effect,
        ...timeOf(entry),
      };
    case "done": {
      const { step, value, ms: durationMs, usage } = entry;
      return { type: "done", step, value, durationMs, ...(usage && { usage }), ...timeOf(entry) };
    }
    case "wait":
      return { type: "wait", wait: entry.wait };
    default:
      return { type: "end", output: entry.output, ...(entry.error && { error: entry.error }) };
  }
}

/** Returns the time of a log entry; undefined for entries of earlier releases, which did not store it. */
function timeOf({ at }: { readonly at?: number }): { at?: number } {
  return at === undefined ? {} : { at };
}

/**
 * Filter of the stored events of a run with several attempts, for one reader. It omits chunks that a later attempt
 * creates again. A `reset` event, which declares the earlier chunks of a step void, passes only if the reader has seen
 * such chunks.
 */
export class Backlog {
  /** For each step: the number of the last log record that declares earlier chunks of the step void. */
  readonly #voidBefore = new Map<string, number>();
  /** The ids of the events that reset steps whose chunks the reader has seen. */
  readonly #resets = new Set<string>();
  /** The number of the last log record that was stored when the backlog was read. */
  #end = 0;

  /** Reads the backlog of a run with several attempts, for a reader that has the events up to a position. */
  static async read(storage: StorageDriver, runId: string, seen: Position): Promise<Backlog> {
    const backlog = new Backlog();
    const seenSteps = new Set<string>();
    for await (const page of readLog(storage, runId)) {
      for (const record of page) backlog.#add(toEvents(record), seen, seenSteps);
    }
    return backlog;
  }

  /** Returns true if a reader must receive an event of a record. */
  shows(event: RunEvent, number: number): boolean {
    if (number > this.#end) return true;
    if (event.type === "chunk") return number >= (this.#voidBefore.get(event.step) ?? 0);
    return event.type !== "reset" || this.#resets.has(event.id);
  }

  #add({ number, events }: EventPage, seen: Position, seenSteps: Set<string>): void {
    this.#end = number;
    for (const [index, event] of events.entries()) {
      const isSeen = number < seen.number || (number === seen.number && index <= seen.index);
      if (event.type === "chunk" && isSeen) seenSteps.add(event.step);
      if (event.type !== "reset") continue;
      this.#voidBefore.set(event.step, number);
      if (seenSteps.delete(event.step) && !isSeen) this.#resets.add(event.id);
    }
  }
}
