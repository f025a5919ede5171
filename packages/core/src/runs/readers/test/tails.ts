import type { LogEntry } from "../../../agents/journal/log-entry.ts";
import { logKey } from "../../../agents/journal/log-entry.ts";
import { LogWriter } from "../../../agents/journal/log-writer.ts";
import { TroupeError } from "../../../base/errors/troupe-error.ts";
import type { RunRecord, RunStorage } from "../../record/run-record.ts";
import type { RemoteStorage } from "../../../sessions/storage/test/remote-storage.ts";
import { RunTail } from "../run-tail.ts";
import { RunTails } from "../run-tails.ts";

/** The failure of a storage that is away. */
export const down = new TroupeError("storage_unavailable", "The database restarts.");

/** Entries of logs. */
export const attempt: Extract<LogEntry, { t: "attempt" }> = { t: "attempt", n: 1, id: "i", node: "n", print: "" };
export const end: LogEntry = { t: "end", output: null };
export const chunks = (count: number, step = ""): LogEntry => {
  return { t: "chunks", step, chunks: Array.from({ length: count }, () => ({ type: "text" })) };
};

/** Stores the next records of the run, as another process does; a record with a number was cut there. */
export async function store(
  { inner }: RemoteStorage,
  first: number,
  ...records: (LogEntry[] | number)[]
): Promise<void> {
  for (const [index, record] of records.entries()) {
    const isCut = typeof record === "number";
    const value = isCut ? { v: 1, entries: [], cutFrom: record } : { v: 1, entries: record };
    await inner.set("run-log", logKey("r", first + index), value as never);
  }
}

/** A reader: its position, and the record of its run. */
export type Given = {
  after?: string | undefined;
  isBounded?: boolean;
  record?: Partial<RunRecord>;
  open?: () => Promise<RunRecord>;
};

/** Makes a reader of the run. */
export function tailOf(storage: RemoteStorage, { after, isBounded = false, record, open }: Given = {}) {
  const driver = storage.driver as RunStorage;
  const init = { storage: driver, writer: new LogWriter(driver), isPerformedHere: () => false };
  const tails = new RunTails({ ...init, checkQuiet: async () => {} });
  const opened = { status: "running", attempts: 1, ...record } as RunRecord;
  return new RunTail({ runId: "r", after, storage: driver, tails, open: open ?? (async () => opened), isBounded });
}

/** Reads a tail to its end: the ids of its events, and the code of the error. */
export async function readAll(tail: RunTail): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const { id } of tail) ids.push(id);
  } catch (error) {
    ids.push((error as TroupeError).code);
  }
  return ids;
}

/** The events of a run that is over: 1.0 to 1.2, 2.0 and 2.1, none in 3, 4.0 and the end as 4.1. */
export const whole = [[attempt, chunks(2)], [chunks(1, "s"), chunks(1)], [], [chunks(1), end]] satisfies LogEntry[][];
export const ids = ["1.0", "1.1", "1.2", "2.0", "2.1", "4.0", "4.1"];
