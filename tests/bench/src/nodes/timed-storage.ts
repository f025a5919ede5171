import type { Json } from "@troupe/core";
import type { Listing, StorageEntry } from "@troupe/core/storage";
import { PostgresStorage } from "@troupe/storage-postgres";
import { median } from "../statistics.ts";
import { isWithin, machineTimeMs } from "./machine-time.ts";
import type { TimeSpan } from "./machine-time.ts";

type Insert = { namespace: string; key: string; value: Json };
type Call = { startedMs: number; tookMs: number; records: number };

/** Calls of a storage: how many a second, and the medians of their times and of the records of each. */
export type CallFigures = { perSecond: number; medianMs: number; records: number };

/** A PostgreSQL storage that keeps the times of the calls with which run logs are written and read. */
export class TimedStorage extends PostgresStorage {
  readonly inserts: Call[] = [];
  readonly looks: Call[] = [];
  /** Called with the records of each insert once they are stored, and with the time at which it began. */
  onInserted: (writes: readonly Insert[], startedMs: number) => void = () => {};

  override async insertAll(writes: readonly Insert[]): Promise<boolean[]> {
    const startedMs = machineTimeMs();
    const inserted = await super.insertAll(writes);
    this.inserts.push({ startedMs, tookMs: machineTimeMs() - startedMs, records: writes.length });
    this.onInserted(writes, startedMs);
    return inserted;
  }

  override async listMany(listings: readonly Listing[]): Promise<StorageEntry[][]> {
    const startedMs = machineTimeMs();
    const listed = await super.listMany(listings);
    const records = listed.reduce((sum, { length }) => sum + length, 0);
    this.looks.push({ startedMs, tookMs: machineTimeMs() - startedMs, records });
    return listed;
  }
}

/** Returns the figures of the calls that began within a span of time. */
export function figuresOf(calls: readonly Call[], span: TimeSpan): CallFigures {
  const within = calls.filter(({ startedMs }) => isWithin(startedMs, span));
  return {
    perSecond: (within.length * 1000) / (span.toMs - span.fromMs),
    medianMs: median(within.map(({ tookMs }) => tookMs)),
    records: median(within.map(({ records }) => records)),
  };
}
