import type { Json, StorageDriver } from "@troupe/core";

/** An entry of a stored run log, as far as the checks read it. */
export type StoredEntry = {
  readonly t: string;
  readonly step?: string;
  readonly n?: number;
  readonly [name: string]: Json | undefined;
};

/** Reads the numbers of the records in a run's log. */
export async function recordNumbers(storage: StorageDriver, runId: string): Promise<number[]> {
  return (await storage.list("run-log", `${runId}/`)).map(({ key }) => Number(key.slice(runId.length + 1)));
}

/** Reads all entries in a run's log, in their order. */
export async function entriesOf(storage: StorageDriver, runId: string): Promise<StoredEntry[]> {
  const records = await storage.list("run-log", `${runId}/`);
  return records.flatMap(({ value }) => (value as unknown as { entries: StoredEntry[] }).entries);
}
