import type { Json } from "../storage/json.ts";
import type { SharedDriver } from "../storage/shared-driver.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { namespaces } from "./session-keys.ts";
import { readSessionRecord } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";

/** Change of a session's record by a compare-and-set: the record that must be stored, and the one to replace it. */
export type RecordChange = { before: SessionRecord; after: SessionRecord };

/** Attempts to count a turn while other processes write the record. */
const maxAttempts = 3;

/** Returns a copy of a session's record that counts the turn `seq` as its last and is updated now. */
export function withTurnCount(session: SessionRecord, seq: number): SessionRecord {
  return { ...session, turns: seq, updatedAt: Date.now() };
}

/**
 * Writes the session's record with its new number of turns, after the turn itself was stored. A failure is ignored: the
 * turn is found without being counted, and the next turn counts both. Reported, it would fail the run, which would be
 * repeated.
 */
export async function writeTurnCount(driver: StorageDriver, key: string, counted: SessionRecord): Promise<void> {
  try {
    await driver.set(namespaces.sessions, key, counted as unknown as Json);
  } catch {
    // See above.
  }
}

/**
 * Writes the session's record with its new number of turns by `compareAndSet`, where other processes may take the
 * session over. The number never goes back, and a deleted session stays deleted. A failure is ignored, as in
 * `writeTurnCount`.
 */
export async function swapTurnCount(driver: SharedDriver, key: string, count: RecordChange): Promise<void> {
  try {
    let next: RecordChange | null = count;
    for (let attempt = 0; attempt < maxAttempts && next !== null; attempt++) {
      const { before, after }: { before: unknown; after: unknown } = next;
      if (await driver.compareAndSet(namespaces.sessions, key, before as Json, after as Json)) return;
      next = await recount(driver, key, count.after.turns);
    }
  } catch {
    // See above.
  }
}

/** Returns the stored record and the one to replace it, or `null` when it was deleted or counts further already. */
async function recount(driver: StorageDriver, key: string, turns: number): Promise<RecordChange | null> {
  const stored = await driver.get(namespaces.sessions, key);
  if (stored === null) return null;
  const before = readSessionRecord(stored, { namespace: namespaces.sessions, key });
  return before.turns >= turns ? null : { before, after: withTurnCount(before, turns) };
}
