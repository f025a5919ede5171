import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../../sessions/storage/json.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import type { RunSignal } from "../../run/run-wait.ts";
import { Journal } from "../journal.ts";
import type { LogEntry } from "../log-entry.ts";
import { LogWriter } from "../log-writer.ts";
import { readLog } from "../read-log.ts";

/** The id of the run in the tests that need only one. */
export const journaledRunId = "5b1e9f3c-0000-4000-8000-000000000001";

/** Begins an attempt at the run. */
export async function openJournal(
  storage: StorageDriver = new InMemoryStorage(),
  answers: ReadonlyMap<string, Json> = new Map(),
  signals: readonly RunSignal[] = [],
): Promise<Journal> {
  const writer = new LogWriter(storage);
  return await Journal.open({
    runId: journaledRunId,
    storage,
    writer,
    node: "test",
    print: "",
    answers,
    signals: [...signals],
  });
}

/** All entries in the log of the run. */
export async function entriesIn(storage: StorageDriver): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const page of readLog(storage, journaledRunId)) {
    entries.push(...page.flatMap(({ record }) => record.entries));
  }
  return entries;
}
