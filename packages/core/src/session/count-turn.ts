import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { namespaces } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";

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
