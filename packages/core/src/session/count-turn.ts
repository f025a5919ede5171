import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { namespaces } from "./session-keys.ts";
import { readSessionRecord } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";
import type { SharedDriver } from "../storage/shared-driver.ts";

/** A session's record before and after a turn. */
export type Count = { before: SessionRecord; after: SessionRecord };

/** How often another process may write the record in between. */
const attempts = 3;

/** The session's record once the turn with this number is stored. */
export function withTurn(session: SessionRecord, seq: number): SessionRecord {
  return { ...session, turns: seq, updatedAt: Date.now() };
}

/**
 * Writes the session's record behind a turn that is already stored. A failure is not one of the turn, which is found
 * without being counted; the next turn counts both. So it is not reported: the run would be called failed and be repeated.
 */
export async function countTurn(driver: StorageDriver, key: string, counted: SessionRecord): Promise<void> {
  try {
    await driver.set(namespaces.sessions, key, counted as unknown as Json);
  } catch {
    // See above.
  }
}

/**
 * The same where another process may have taken the session over since the turn was stored: the count never goes back, and
 * a session that was deleted stays so.
 */
export async function countSharedTurn(driver: SharedDriver, key: string, count: Count): Promise<void> {
  try {
    let next: Count | null = count;
    for (let attempt = 0; attempt < attempts && next !== null; attempt++) {
      const { before, after }: { before: unknown; after: unknown } = next;
      if (await driver.compareAndSet(namespaces.sessions, key, before as Json, after as Json)) return;
      next = await recount(driver, key, count.after.turns);
    }
  } catch {
    // As above.
  }
}

/** What is to be written over the record as it is by now, unless it is gone or somebody counted further. */
async function recount(driver: StorageDriver, key: string, turns: number): Promise<Count | null> {
  const stored = await driver.get(namespaces.sessions, key);
  if (stored === null) return null;
  const before = readSessionRecord(stored, { namespace: namespaces.sessions, key });
  return before.turns >= turns ? null : { before, after: withTurn(before, turns) };
}
