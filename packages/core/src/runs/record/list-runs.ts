import { mapBounded } from "../../base/async/map-bounded.ts";
import { booleanOption, oneOf, optional, customOption } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { checkPageLimit } from "../../sessions/session/page.ts";
import { scan } from "../../sessions/session/scan.ts";
import { listEach } from "../../sessions/storage/list-each.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import type { OwnerKey } from "../../sessions/storage/owner-key.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver, StorageEntry } from "../../sessions/storage/storage-driver.ts";
import { withLoggedEnd } from "./find-runs.ts";
import { byKeys, groupKeys, placeOf, runGroups, runIdOf } from "./run-keys.ts";
import { toView } from "./run-record.ts";
import type { RunGroup } from "./run-keys.ts";
import type { RunRecord } from "./run-record.ts";
import type { RunStore } from "./run-store.ts";
import { runStatuses } from "./run-view.ts";
import type { RunCaller, RunListOptions, RunPage, RunStatus, RunView } from "./run-view.ts";

const cursorForm = /^(\d{1,15})\.([\w-]{1,64})$/;

const listTable = {
  status: optional(oneOf(...runStatuses)),
  limit: optional((value) => checkPageLimit(value as number)),
  after: optional(
    customOption<string>("`next` of the page before", (value) => typeof value === "string" && cursorForm.test(value)),
  ),
  hasOutputs: optional(booleanOption, false),
} satisfies OptionTable<RunListOptions>;

/**
 * The minimum number of list entries that are read at once. If most runs have another status than the wanted one, even
 * a small page needs many entries.
 */
const leastEntries = 50;

/**
 * The number of records that are read at once after the records of a page, if some runs of the page have another status
 * than the wanted one.
 */
const fewRecords = 8;

/** The runs to list. `after` is the sort key of the last run that was already listed. */
type Wanted = { status: RunStatus | undefined; after: string | undefined; limit: number };

/** The runs of a service: their store, the time, and the milliseconds for which ended runs are kept. */
type Runs = { readonly store: RunStore; readonly now: () => number; readonly recordMs: number };

/**
 * Lists the runs of a user, or all runs for the host, newest first. A run is over when its log has the end, as for
 * other readers. Throws `invalid_request` for a caller without a user, who has no list.
 */
export async function listRuns(
  { store, now, recordMs }: Runs,
  caller: RunCaller,
  options: RunListOptions,
): Promise<RunPage> {
  const read = readOptions(listTable, options, { owner: "the list of runs", code: "invalid_request" });
  const { status, hasOutputs, limit = checkPageLimit(undefined) } = read;
  const wanted = { status, limit, after: read.after === undefined ? undefined : placeAt(read.after) };
  const list = { store, now };
  const records = caller === "host" ? recordsOfAll(list, wanted) : recordsOf(list, checkLister(caller), wanted);
  const runs: RunView[] = [];
  for await (const record of records) {
    if ((status !== undefined && record.status !== status) || store.isExpired(record)) continue;
    const last = runs.at(-1);
    if (runs.length === limit && last !== undefined) return { runs, next: `${last.createdAt}.${last.runId}` };
    runs.push(toListed(toView(record, recordMs), hasOutputs));
  }
  return { runs };
}

function checkLister(caller: SessionOwner): SessionOwner {
  if (caller.userId !== undefined) return checkOwner(caller);
  throw new TroupeError("invalid_request", "Runs are listed by their user: userId is missing.");
}

function toListed(view: RunView, hasOutputs: boolean): RunView {
  if (hasOutputs) return view;
  const { output: _output, ...listed } = view;
  return listed;
}

/** The store of the listed runs, and the current time, at which a run may be found to be over. */
type List = Pick<Runs, "store" | "now">;

/** Yields the records of a user's runs that may have a status, newest first. */
async function* recordsOf(
  list: List,
  owner: SessionOwner,
  { status, after, limit }: Wanted,
): AsyncGenerator<RunRecord> {
  const { store } = list;
  const pageSize = Math.max(limit + 1, leastEntries);
  const range = { owner: ownerKey(owner), groups: groupsOf(status), after, pageSize };
  for await (const page of listOwned(store.storage, range)) {
    for await (const [entry, record] of readRecords(list, page, limit + 1)) {
      if (record !== null && isEntryOf(entry, record)) yield record;
      else await store.lists.dropEntry(entry.key);
    }
  }
}

/** Yields the records of all runs, newest first. */
async function* recordsOfAll(list: List, { after, limit }: Wanted): AsyncGenerator<RunRecord> {
  const { store } = list;
  const pageSize = Math.max(limit + 1, leastEntries);
  const range = { namespace: runNamespaces.byOwner, prefix: byKeys.all, pageSize };
  const from = after === undefined ? undefined : byKeys.all + after;
  for await (const page of scan(store.storage, { ...range, after: from })) {
    const entries = page.map(({ key }) => ({ key, runId: runIdOf(key) }));
    for await (const [{ key }, record] of readRecords(list, entries, limit + 1)) {
      if (record !== null && store.lists.places.has(key, record)) yield record;
      else await store.lists.dropEntry(key);
    }
  }
}

/** Yields list entries with the records of their runs. The records of one page are read first, then a few at a time. */
async function* readRecords<Entry extends { runId: string }>(
  { store, now }: List,
  entries: readonly Entry[],
  pageSize: number,
): AsyncGenerator<[Entry, RunRecord | null]> {
  for (let [at, size] = [0, pageSize]; at < entries.length; [at, size] = [at + size, fewRecords]) {
    yield* await mapBounded(entries.slice(at, at + size), async (entry): Promise<[Entry, RunRecord | null]> => {
      const record = await store.read(entry.runId);
      return [entry, record && (await withLoggedEnd(store, record, now))];
    });
  }
}

/** Returns the sort key of the run that a cursor names. */
function placeAt(cursor: string): string {
  const [, createdAt, runId = ""] = cursorForm.exec(cursor) ?? [];
  return placeOf({ createdAt: Number(createdAt), runId });
}

/** An entry in the list of an owner's runs. It is only a pointer: the run's record is authoritative. */
export type OwnedEntry = { readonly runId: string; readonly place: string; readonly group: RunGroup; key: string };

/**
 * The part of an owner's list to read: the groups, the position after which it begins, and the number of entries to
 * read at once for each group.
 */
export type OwnedRange = { owner: OwnerKey; groups: readonly RunGroup[]; after: string | undefined; pageSize: number };

/** Returns the groups that may contain runs of a status: a run that has just ended may still be among the open runs. */
export function groupsOf(status: RunStatus | undefined): readonly RunGroup[] {
  if (status === undefined) return runGroups;
  return runGroups.filter((group) => group === "open" || group === status);
}

/**
 * Lists the entries of an owner's runs, newest first and each run once. The amount that it reads depends on the page
 * size rather than the number of runs.
 *
 * @yields some entries, following the previous ones
 */
export async function* listOwned(storage: StorageDriver, range: OwnedRange): AsyncGenerator<OwnedEntry[]> {
  for (let { after } = range; ;) {
    const pages = await readPages(storage, { ...range, after });
    // A group (open runs, or runs with one kind of end) whose page is full may have more entries. So the entries of all
    // groups are in order only up to the smallest of the last entries of full pages.
    const ends = pages.flatMap((page) => (page.length < range.pageSize ? [] : page.slice(-1)));
    const end = ends.map(({ place }) => place).toSorted()[0];
    const found = new Map<string, OwnedEntry>();
    for (const entry of pages.flat()) if (end === undefined || entry.place <= end) found.set(entry.place, entry);
    yield [...found.values()].toSorted((one, other) => (one.place < other.place ? -1 : 1));
    if (end === undefined) return;
    after = end;
  }
}

/** Reads one page of each group of an owner's runs, the open runs first. */
async function readPages(storage: StorageDriver, range: OwnedRange): Promise<OwnedEntry[][]> {
  const open = await readGroups(storage, { ...range, groups: range.groups.slice(0, 1) });
  return [...open, ...(await readGroups(storage, { ...range, groups: range.groups.slice(1) }))];
}

async function readGroups(storage: StorageDriver, { owner, groups, after, pageSize }: OwnedRange) {
  const prefixes = groups.map((group) => byKeys.group(owner, group));
  const listings = prefixes.map((prefix) => ({
    namespace: runNamespaces.byOwner,
    prefix,
    limit: pageSize,
    ...(after !== undefined && { after: prefix + after }),
  }));
  const listed = listings.length === 0 ? [] : await listEach(storage, listings);
  return groups.map((group, index) => {
    const outcome = listed[index];
    if (outcome?.status === "rejected") throw outcome.reason;
    const entries = (outcome?.value ?? []).map((entry) => toOwned(entry, group));
    // A driver may ignore the start position of a listing.
    return after === undefined ? entries : entries.filter(({ place }) => place > after);
  });
}

function toOwned({ key }: StorageEntry, group: RunGroup): OwnedEntry {
  return { key, group, runId: runIdOf(key), place: key.slice(key.lastIndexOf("/") + 1) };
}

/**
 * Returns true if an entry belongs to the run with this record: an entry of another run that had the same id may be
 * left over.
 */
export function isEntryOf({ key, group }: OwnedEntry, record: RunRecord): boolean {
  return groupKeys(record, [group])[0] === key;
}
