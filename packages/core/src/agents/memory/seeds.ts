import { untilAborted } from "../../base/async/until-aborted.ts";
import { memoriesPrefix, namespaces, sessionIdOf } from "../../sessions/session/session-keys.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { RecordKey } from "../../sessions/storage/stored-record.ts";
import { writeEntry } from "./memory-index.ts";
import { emptyMemory, readMemoryRecord, toStoredMemory } from "./memory-record.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { changeRecord } from "./record-lock.ts";
import type { LockedRecord } from "./record-lock.ts";

/** No owner is written so. */
const noOwner = "*";

/**
 * Returns the place of the seed of a session id: what the program has added to a session that has no owner yet. The first
 * run of the program in that session takes it over.
 */
export function seedOf({
  driver,
  sessionId,
  signal,
}: Pick<LockedRecord, "driver" | "signal"> & { sessionId: string }): LockedRecord {
  const key = memoriesPrefix(sessionId) + noOwner;
  return { driver, place: { namespace: namespaces.memoryById, key }, signal };
}

/** Tells if a place is that of a seed. */
export function isSeedKey({ namespace, key }: RecordKey): boolean {
  return namespace === namespaces.memoryById && key.endsWith(`/${noOwner}`);
}

/**
 * Moves a seed into the memory of a session, and returns false if there is none or another session has begun to. Each step may be repeated: the seed names
 * its session first, then the memory gets its messages, and the memory's next write removes it.
 */
export async function takeSeed(seed: LockedRecord, target: LockedRecord): Promise<boolean> {
  if ((await readSeed(seed)) === null) return false;
  let isOurs = false;
  await changeRecord(seed, async (stored) => {
    const { takenBy = target.place.key, ...record } = readMemoryRecord(stored, seed.place);
    isOurs = stored !== null && takenBy === target.place.key;
    return isOurs ? toStoredMemory({ ...record, takenBy }) : undefined;
  });
  if (!isOurs) return false;
  await changeRecord(target, async (stored) => {
    const record = readMemoryRecord(stored, target.place);
    if (record.hasSeed === true) return undefined;
    // After the memory: one that has the flag no longer has had the seed removed.
    const taken = await readSeed(seed);
    if (taken?.takenBy !== target.place.key) return undefined;
    await writeEntry(target);
    return toStoredMemory({ ...record, ...joined(taken, record), indexed: true, hasSeed: true });
  });
  return true;
}

/** Removes the seed that a memory has taken over, in whichever storage it was. */
export async function removeTakenSeed(drivers: readonly StorageDriver[], target: LockedRecord): Promise<void> {
  const { place, signal } = target;
  const sessionId = sessionIdOf(place.key);
  for (const driver of drivers) {
    const seed = seedOf({ driver, sessionId, signal });
    await changeRecord(seed, async (stored) => {
      return readMemoryRecord(stored, seed.place).takenBy === place.key ? null : undefined;
    });
  }
}

/** The seed comes before what the session has said. */
function joined(seed: MemoryRecord, record: MemoryRecord): Partial<MemoryRecord> {
  return {
    messages: [...seed.messages, ...record.messages],
    pending: [...seed.pending, ...record.pending],
    summaries: [...seed.summaries, ...record.summaries],
    hasLostSteps: record === emptyMemory ? seed.hasLostSteps : record.hasLostSteps,
  };
}

async function readSeed({ driver, place, signal }: LockedRecord): Promise<MemoryRecord | null> {
  const stored = await untilAborted(() => driver.get(place.namespace, place.key), signal);
  return stored === null ? null : readMemoryRecord(stored, place);
}
