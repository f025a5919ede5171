import type { StorageDriver } from "../storage/storage-driver.ts";
import { corruptRecord } from "../storage/stored-record.ts";
import { logKey, logPrefix, readLogRecord, runNamespaces } from "./log-entry.ts";
import type { LogRecord } from "./log-entry.ts";

/** A log record with its number. */
export type NumberedRecord = { readonly number: number; readonly record: LogRecord };

/** The number of records that are read at a time. */
const pageSize = 256;

/**
 * Reads the records of a run's log behind a number, oldest first, page by page, to the end that the log has when it is
 * reached. Throws `storage_corrupt` for a damaged record and for a gap.
 */
export async function* readLog(
  storage: StorageDriver,
  runId: string,
  after = 0,
): AsyncGenerator<NumberedRecord[], void> {
  let last = after;
  for (;;) {
    const page = await readLogPage(storage, runId, { after: last });
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    last += page.length;
  }
}

/** Reads the next records behind a number, at most `limit`: one page of `readLog`. */
export async function readLogPage(
  storage: StorageDriver,
  runId: string,
  { after, limit = pageSize }: { after: number; limit?: number },
): Promise<NumberedRecord[]> {
  const namespace = runNamespaces.log;
  const from = logKey(runId, after);
  const found = await storage.list(namespace, logPrefix(runId), { limit, after: from });
  // A driver may ignore the options of a listing.
  const records = found.filter(({ key }) => key > from).slice(0, limit);
  return records.map(({ key, value }, index) => {
    const number = after + index + 1;
    if (key !== logKey(runId, number)) throw corruptRecord({ namespace, key: logKey(runId, number) });
    return { number, record: readLogRecord(value, { namespace, key }) };
  });
}
