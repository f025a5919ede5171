import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { scan } from "../../sessions/session/scan.ts";
import { listEach } from "../../sessions/storage/list-each.ts";
import type { OwnerKey } from "../../sessions/storage/owner-key.ts";
import type { StorageDriver, StorageEntry } from "../../sessions/storage/storage-driver.ts";
import { byKeys, groupKeys, runGroups, runIdOf } from "./run-record.ts";
import type { RunGroup, RunRecord } from "./run-record.ts";
import type { RunStatus } from "./run-view.ts";

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

/** An entry in the list of a session's runs. */
export type CreatedEntry = Pick<RunRecord, "runId" | "createdAt"> & { readonly key: string };

/** Lists all runs, with and without owners, and the times of their creation, from the lists of their sessions. */
export async function listCreated(storage: StorageDriver): Promise<CreatedEntry[]> {
  const found: CreatedEntry[] = [];
  const range = { namespace: runNamespaces.byOwner, prefix: byKeys.sessions, pageSize: 1000 };
  for await (const page of scan(storage, range)) {
    for (const { key, value } of page) {
      const { createdAt = 0 } = value as Partial<RunRecord>;
      found.push({ runId: runIdOf(key), createdAt, key });
    }
  }
  return found;
}
