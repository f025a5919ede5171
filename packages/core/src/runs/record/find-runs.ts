import { mapBounded } from "../../base/async/map-bounded.ts";
import { booleanOption, oneOf, optional, satisfying } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { LogEnd, LogEntry } from "../../agents/journal/log-entry.ts";
import { readLastRecord, readLog } from "../../agents/journal/read-log.ts";
import { checkPageLimit } from "../../sessions/session/page.ts";
import { isSameTenant, ownerKey } from "../../sessions/storage/owner-key.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { endOf } from "./run-parts.ts";
import { byKeys, isEnded, placeOf, toView, groupKeys, runGroups, runIdOf } from "./run-record.ts";
import type { RunRecord, RunGroup } from "./run-record.ts";
import { listCreated } from "./run-lists.ts";
import type { RunStore } from "./run-store.ts";
import { runStatuses } from "./run-view.ts";
import type { RunCaller, RunListOptions, RunPage, RunStatus, RunView } from "./run-view.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { listEach } from "../../sessions/storage/list-each.ts";
import type { OwnerKey } from "../../sessions/storage/owner-key.ts";
import type { StorageDriver, StorageEntry } from "../../sessions/storage/storage-driver.ts";

/** The number of a session's newest runs that are searched for its open run. */
const searchedRuns = 50;

/**
 * Returns a run that the caller may access. For other callers it is `not_found`, as if it did not exist; so is a run
 * whose removal time has come, except for the host. `known` is the record of the run, if it need not be read.
 */
export async function findRun(
  { store, known }: { store: RunStore; known?: RunRecord | undefined },
  runId: string,
  caller: RunCaller,
): Promise<RunRecord> {
  const isId = /^[\w-]{1,64}$/.test(runId);
  const record = known ?? (isId ? await store.read(runId) : null);
  if (record !== null && mayReach(record, caller) && (caller === "host" || !store.isExpired(record))) return record;
  const shown = JSON.stringify(runId.slice(0, 64));
  throw new TroupeError("not_found", `Run ${shown} not found. It may have been removed, or belong to another user.`);
}

/**
 * Returns the record of a run with the end, or the new attempt, that its log already contains. For readers a run is
 * over when its log has the end. Its record follows a moment later or, if the process crashed, when another process has
 * taken the run over.
 */
export async function withLoggedEnd(store: RunStore, record: RunRecord, now: () => number): Promise<RunRecord> {
  const { storage } = store;
  if (isEnded(record.status)) return record;
  const entries = (await readLastRecord(storage, record.runId))?.record.entries ?? [];
  const end = endIn(entries);
  if (end === undefined) return withLastAttempt(record, entries);
  const { waits: _waits, ...ended }: RunRecord = { ...record, ...endOf(end), endedAt: now() };
  // The run's record may not count its last attempt either.
  for await (const page of readLog(storage, record.runId)) {
    for (const entry of page.flatMap((each) => each.record.entries)) {
      if (entry.t !== "attempt") continue;
      ended.attempts = entry.n;
      ended.node = entry.node;
      if (entry.at !== undefined) ended.startedAt ??= entry.at;
    }
  }
  return ended;
}

/** Adds the attempt that begins in the last record of a log, because the run's record may not count it yet. */
function withLastAttempt(record: RunRecord, entries: readonly LogEntry[]): RunRecord {
  const begun = entries.findLast((entry) => entry.t === "attempt");
  if (begun === undefined || begun.n <= record.attempts) return record;
  return { ...record, attempts: begun.n, node: begun.node };
}

/** Returns true if a run is over according to its record or its log. */
export async function isOver({ storage }: RunStore, { runId, status }: RunRecord): Promise<boolean> {
  if (isEnded(status)) return true;
  return endIn((await readLastRecord(storage, runId))?.record.entries ?? []) !== undefined;
}

function endIn(entries: readonly LogEntry[]): LogEnd | undefined {
  const last = entries.at(-1);
  return last?.t === "end" ? last : undefined;
}

/** The owner of a run, and true if callers without a user may also access it by its id. */
export type RunReach = Pick<RunRecord, "owner" | "isBearer">;

/**
 * Returns true if a caller may access a run. A run without a user is accessible by its id alone, within its tenant. So
 * is a bearer run for callers without a user.
 */
export function mayReach({ owner, isBearer = false }: RunReach, caller: RunCaller): boolean {
  if (caller === "host") return true;
  const given = checkOwner(caller);
  if (!isSameTenant(given, owner)) return false;
  if (owner.userId === undefined || (isBearer && given.userId === undefined)) return true;
  return ownerKey(given) === ownerKey(owner);
}

/** Returns the open runs among the newest runs of a session, newest first. */
export async function runsOfSession(store: RunStore, sessionId: string, owner: SessionOwner): Promise<RunRecord[]> {
  for await (const entries of store.lists.listEntries(byKeys.session(checkOwner(owner), sessionId))) {
    const runIds = new Set(entries.map(({ runId }) => runId));
    const records = await mapBounded([...runIds].slice(0, searchedRuns), (runId) => store.read(runId));
    return records.filter((record) => record !== null && !isEnded(record.status)) as RunRecord[];
  }
  return [];
}

const cursorForm = /^(\d{1,15})\.([\w-]{1,64})$/;

const listTable = {
  status: optional(oneOf(...runStatuses)),
  limit: optional((value) => checkPageLimit(value as number)),
  after: optional(
    satisfying<string>("`next` of the page before", (value) => typeof value === "string" && cursorForm.test(value)),
  ),
  hasOutputs: optional(booleanOption, false),
} satisfies OptionTable<RunListOptions>;

/**
 * The minimum number of list entries that are read at once: if most runs have another status, a small page reads few
 * lists.
 */
const leastEntries = 50;

/** The number of records that are read at once after those of a page, because some of the page have another status. */
const fewRecords = 8;

type Listed = { runId: string; createdAt: number };
type Wanted = { status: RunStatus | undefined; after: Listed | undefined; limit: number };

/**
 * Lists the runs of a user, or all runs for the host, newest first. Throws `invalid_request` for a caller without a
 * user, who has no list.
 */
export async function listRuns(
  { store, recordMs }: { store: RunStore; recordMs: number },
  caller: RunCaller,
  options: RunListOptions,
): Promise<RunPage> {
  const read = readOptions(listTable, options, { owner: "the list of runs", code: "invalid_request" });
  const { status, hasOutputs, limit = checkPageLimit(undefined) } = read;
  const wanted = { status, limit, after: read.after === undefined ? undefined : parseCursor(read.after) };
  const records = caller === "host" ? recordsOfAll(store, wanted) : recordsOf(store, checkLister(caller), wanted);
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

/** Yields the records of a user's runs that may have a status, newest first. */
async function* recordsOf(
  store: RunStore,
  owner: SessionOwner,
  { status, after, limit }: Wanted,
): AsyncGenerator<RunRecord> {
  const entries = listOwned(store.storage, {
    owner: ownerKey(owner),
    groups: groupsOf(status),
    after: after && placeOf(after),
    pageSize: Math.max(limit + 1, leastEntries),
  });
  for await (const page of entries) {
    for await (const [entry, record] of readRecords(store, page, limit + 1)) {
      if (record !== null && isEntryOf(entry, record)) yield record;
      else await store.lists.dropEntry(entry.key);
    }
  }
}

/** Yields the records of all runs, newest first. They are listed by session and sorted here. */
async function* recordsOfAll(store: RunStore, { after, limit }: Wanted): AsyncGenerator<RunRecord> {
  const listed = (await listCreated(store.storage)).toSorted(newestFirst);
  const rest = after === undefined ? listed : listed.filter((each) => newestFirst(after, each) < 0);
  for await (const [{ key }, record] of readRecords(store, rest, limit + 1)) {
    if (record !== null && store.lists.isPlaceOf(key, record)) yield record;
    else await store.lists.dropEntry(key);
  }
}

/** Yields list entries with the records of their runs. The records of one page are read first, then a few at a time. */
async function* readRecords<Entry extends { runId: string }>(
  store: RunStore,
  entries: readonly Entry[],
  pageSize: number,
): AsyncGenerator<[Entry, RunRecord | null]> {
  for (let [at, size] = [0, pageSize]; at < entries.length; [at, size] = [at + size, fewRecords]) {
    yield* await mapBounded(entries.slice(at, at + size), async (entry): Promise<[Entry, RunRecord | null]> => {
      return [entry, await store.read(entry.runId)];
    });
  }
}

function newestFirst(one: Listed, other: Listed): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt;
  return one.runId < other.runId ? -1 : Number(one.runId > other.runId);
}

function parseCursor(cursor: string): Listed {
  const [, createdAt, runId = ""] = cursorForm.exec(cursor) ?? [];
  return { createdAt: Number(createdAt), runId };
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
    // After the end of a full page there may be further entries of its group.
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
