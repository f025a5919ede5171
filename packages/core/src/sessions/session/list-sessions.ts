import { mapBounded } from "../../base/async/map-bounded.ts";
import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";
import { applyWrites } from "./change-session.ts";
import { findLiveSession } from "./create-session.ts";
import type { SessionRef } from "./session-keys.ts";
import { indexWrites, readRecentKey, recentKey, toSessionCursor } from "./recent-index.ts";
import type { RecentPlace } from "./recent-index.ts";
import { scan } from "./scan.ts";
import { namespaces, ownerPrefix, sessionRef } from "./session-keys.ts";
import type { SessionOwner } from "../storage/session-owner.ts";
import { recencyOf, toSessionInfo } from "./session-record.ts";
import type { SessionInfo, SessionRecord } from "./session-record.ts";

/** A page of a user's sessions, newest first. `next` is the cursor of the next page; absent on the last page. */
export type SessionPage = { sessions: SessionInfo[]; next?: string };

/** The page of a user's sessions to list: at most `limit` sessions after a position. */
type Listing = { owner: SessionOwner; limit: number; after: RecentPlace | undefined };

/**
 * Returns a page of a user's sessions in one or several storages, without sessions that teams opened for their members.
 * If an id is in several storages, the session of the first is listed. Empty for an owner without a `userId`.
 */
export async function listSessions(drivers: readonly StorageDriver[], listing: Listing): Promise<SessionPage> {
  const { owner, limit, after } = listing;
  const sessions: SessionInfo[] = [];
  let last: RecentPlace | undefined;
  for await (const { place, session, mend } of newestOf(drivers, { owner, after, pageSize: limit + 1 })) {
    if (sessions.length === limit && last !== undefined) return { sessions, next: toSessionCursor(last) };
    sessions.push(session);
    last = place;
    // An outdated entry in the list is moved only after its session is on the page. If it were moved earlier, its new
    // position would be before this page, and the listing would miss it.
    await mend?.();
  }
  return { sessions };
}

/** Merges the sessions of several storages, newest first. */
async function* newestOf(drivers: readonly StorageDriver[], range: RecentRange): AsyncGenerator<ListedSession> {
  const sources = drivers.map((driver) => recentSessions(driver, range));
  const heads = await Promise.all(sources.map(nextOf));
  for (;;) {
    const keys = heads.map((head) => head && recentKey(range.owner, head.place));
    const first = keys.reduce<number>((best, key, index) => (isBefore(key, keys[best]) ? index : best), 0);
    const [head, source] = [heads[first], sources[first]];
    if (head === undefined || source === undefined) return;
    if (!(await isHidden(drivers.slice(0, first), range.owner, head.place))) yield head;
    heads[first] = await nextOf(source);
  }
}

async function nextOf(source: AsyncIterator<ListedSession, undefined>): Promise<ListedSession | undefined> {
  return (await source.next()).value;
}

function isBefore(key: string | undefined, other: string | undefined): boolean {
  return key !== undefined && (other === undefined || key < other);
}

/** Returns true if a storage earlier in the array has a session of this id, which is listed instead. */
async function isHidden(before: readonly StorageDriver[], owner: SessionOwner, { sessionId }: RecentPlace) {
  const ref = sessionRef(owner, sessionId);
  const found = await mapBounded(before, (driver) => findLiveSession(driver, ref));
  return found.some((session) => session !== null);
}

/** A session in a listing, its position, and a function that moves its entry if the entry is outdated. */
type ListedSession = { place: RecentPlace; session: SessionInfo; mend?: () => Promise<void> };

/**
 * The part of an owner's sessions to list: the sessions after a position. `pageSize` is the number that is read at
 * once.
 */
type RecentRange = { owner: SessionOwner; after: RecentPlace | undefined; pageSize: number };

/** Microseconds after which a list entry without a session record cannot belong to a session that is being created. */
const oneDay = 24 * 60 * 60 * 1_000_000;

/**
 * Lists the sessions of an owner from the index, by newest turn first, without sessions that teams opened for their
 * members. Each is listed once: entries left over by a crash or another process are skipped, and removed if they are
 * certainly outdated.
 *
 * @yields the sessions; a session that gets a turn meanwhile keeps its earlier position
 */
async function* recentSessions(driver: StorageDriver, range: RecentRange): AsyncGenerator<ListedSession, undefined> {
  const { owner, after, pageSize } = range;
  // Sessions of an owner without a user are not listed.
  if (owner.userId === undefined) return;
  const entries = scan(driver, {
    namespace: namespaces.recent,
    prefix: ownerPrefix(owner),
    after: after && recentKey(owner, after),
    pageSize,
  });
  const listed = new Set<string>();
  for await (const page of entries) {
    for (const found of await mapBounded(page, (entry) => readEntry(driver, range, entry))) {
      if (found === null) continue;
      const { sessionId } = found.place;
      // This entry is outdated, because the session has a newer entry, by which it was listed before.
      if (listed.has(sessionId)) await driver.delete(namespaces.recent, recentKey(owner, found.place));
      else yield found;
      listed.add(sessionId);
    }
  }
}

/** Returns the session of a list entry, or `null` if the session does not exist or is listed under another entry. */
async function readEntry(
  driver: StorageDriver,
  range: RecentRange,
  { key }: StorageEntry,
): Promise<ListedSession | null> {
  const { owner } = range;
  const place = readRecentKey(owner, key);
  const ref = sessionRef(owner, place.sessionId);
  const record = await findLiveSession(driver, ref);
  if (record === null) {
    if (place.recency < Date.now() * 1000 - oneDay) await driver.delete(namespaces.recent, key);
    return null;
  }
  // An entry newer than the session's record was written by a process that lost the lease. The next turn makes the
  // record newer than the entry.
  if (place.recency > recencyOf(record)) return null;
  if (place.recency === recencyOf(record)) return { place, session: toSessionInfo(place.sessionId, record) };
  const updatedAt = Math.min(record.updatedAt, Math.floor(place.recency / 1000));
  const found = { place, session: toSessionInfo(place.sessionId, { ...record, updatedAt }) };
  return await checkLate(driver, range, { ref, record, found });
}

type LateEntry = { ref: SessionRef; record: SessionRecord; found: ListedSession };

/**
 * Returns the session of a list entry that is older than the session's record, or `null` if the entry is left over. The
 * entry lists the session if the session has no newer entry. It also does if the newer entry is sorted before this
 * page, where this listing may have missed it. A left-over entry is removed.
 */
async function checkLate(
  driver: StorageDriver,
  { owner, after }: RecentRange,
  { ref, record, found }: LateEntry,
): Promise<ListedSession | null> {
  const { place } = found;
  const late = { ...record, recency: place.recency };
  const currentKey = recentKey(owner, { ...place, recency: recencyOf(record) });
  if ((await driver.get(namespaces.recent, currentKey)) === null) {
    return { ...found, mend: async () => await applyWrites(driver, indexWrites(ref, late, record)) };
  }
  if (after === undefined || currentKey > recentKey(owner, after)) return found;
  await applyWrites(driver, indexWrites(ref, late, null));
  return null;
}

/**
 * Lists the stored records of all sessions of an owner by key, unchecked, including members' sessions and damaged
 * records.
 *
 * @yields one entry for each session
 */
export async function* ownSessions(driver: StorageDriver, owner: SessionOwner): AsyncGenerator<StorageEntry> {
  for await (const page of scan(driver, { namespace: namespaces.sessions, prefix: ownerPrefix(owner) })) yield* page;
}
