import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { LogEntry, LogRecord } from "../../agents/journal/log-entry.ts";
import type { NumberedRecord } from "../../agents/journal/read-log.ts";
import { readLog } from "../../agents/journal/read-log.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { RunEvent } from "../run-store/run-view.ts";

/** The position of an event: the number of its record in the log, and its index within the record. */
export type Position = { readonly number: number; readonly index: number };

/**
 * A log record in the form for its readers. `cutFrom`: the number of events that the record had before its chunks were
 * removed.
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

/** Returns the time of an entry, if present: earlier releases did not store it. */
function timeOf({ at }: { readonly at?: number }): { at?: number } {
  return at === undefined ? {} : { at };
}

/**
 * Filter of the events already stored for a run with several attempts, for one reader. Chunks made void by a later
 * attempt are left out. A reset is included only if the reader has seen chunks of its step.
 */
export class Backlog {
  /** The number of the last record that makes a step's chunks void, by step. */
  readonly #voidBefore = new Map<string, number>();
  /** The ids of the resets of steps whose chunks the reader has seen. */
  readonly #resets = new Set<string>();
  /** The number of the last record of the backlog. */
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
