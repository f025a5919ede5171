import { listEach } from "../../sessions/storage/list-each.ts";
import type { Listing, StorageDriver, StorageEntry } from "../../sessions/storage/storage-driver.ts";
import { corruptRecord } from "../../sessions/storage/stored-record.ts";
import { isLogRecord, logKey, logPrefix, readLogRecord, runNamespaces } from "./log-entry.ts";
import type { LogRecord } from "./log-entry.ts";

/** A log record with its number. */
export type NumberedRecord = { readonly number: number; readonly record: LogRecord };

/** The number of records that are read at a time. */
const pageSize = 256;

/**
 * Reads the records of a run's log after a given number, oldest first and page by page, up to the current end of the
 * log. Throws `storage_corrupt` for a damaged record and for a gap.
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

/** A position in the log of a run: after the record with the number `after`. */
export type LogPlace = { readonly runId: string; readonly after: number };

/** Reads the next records after a given number, at most `limit`: one page of `readLog`. */
export async function readLogPage(
  storage: StorageDriver,
  runId: string,
  { after, limit = pageSize }: { after: number; limit?: number },
): Promise<NumberedRecord[]> {
  const { namespace, prefix, ...options } = listingOf({ runId, after }, limit);
  return toPage(await storage.list(namespace, prefix, options), { runId, after }, limit);
}

/**
 * Reads the next records after each of many positions, at most `limit` for each, with one request for up to 500
 * positions if the driver has `listMany`. Each position has its own outcome. Never rejects.
 */
export async function readLogPages(
  storage: StorageDriver,
  places: readonly LogPlace[],
  limit: number,
): Promise<PromiseSettledResult<NumberedRecord[]>[]> {
  const listed = await listEach(
    storage,
    places.map((place) => listingOf(place, limit)),
  );
  const pages = places.map(async (place, index) => {
    const outcome = listed[index];
    if (outcome?.status === "rejected") throw outcome.reason;
    return toPage(outcome?.value ?? [], place, limit);
  });
  return await Promise.allSettled(pages);
}

/** Reads the last record of a run's log; undefined if the log is empty or the record is damaged. */
export async function readLastRecord(storage: StorageDriver, runId: string): Promise<NumberedRecord | undefined> {
  const prefix = logPrefix(runId);
  const [first, ...others] = await storage.list(runNamespaces.log, prefix, { reverse: true, limit: 1 });
  if (first === undefined) return undefined;
  // A driver may ignore the options of a listing, so the last of all returned records is used.
  const { key, value } = others.reduce((last, each) => (each.key > last.key ? each : last), first);
  return isLogRecord(value) ? { number: Number(key.slice(prefix.length)), record: value } : undefined;
}

function listingOf({ runId, after }: LogPlace, limit: number): Required<Listing> {
  return { namespace: runNamespaces.log, prefix: logPrefix(runId), limit, after: logKey(runId, after) };
}

/** Returns the found records as a page. Throws `storage_corrupt` for a damaged record and for a gap. */
function toPage(found: readonly StorageEntry[], { runId, after }: LogPlace, limit: number): NumberedRecord[] {
  const namespace = runNamespaces.log;
  const from = logKey(runId, after);
  // A driver may ignore the options of a listing, so they are applied again.
  const records = found.filter(({ key }) => key > from).slice(0, limit);
  return records.map(({ key, value }, index) => {
    const number = after + index + 1;
    if (key !== logKey(runId, number)) throw corruptRecord({ namespace, key: logKey(runId, number) });
    return { number, record: readLogRecord(value, { namespace, key }) };
  });
}
