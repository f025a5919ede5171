import { untilAborted } from "../../base/async/until-aborted.ts";
import { memoriesPrefix, namespaces, sessionIdOf } from "../../sessions/session/session-keys.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { RecordKey } from "../../sessions/storage/stored-record.ts";
import { writeEntry } from "./memory-index.ts";
import { emptyMemory, readMemoryRecord, toStoredMemory } from "./memory-record.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { changeRecord } from "./record-lock.ts";
import type { LockedRecord } from "./record-lock.ts";

/** A placeholder in the key of a seed, which has no owner (see `seedOf`). No real owner is encoded like this. */
const noOwner = "*";

/**
 * Returns the location of the seed of a session id: messages that the program added before the session had an owner.
 * The program's first run in that session takes the seed over.
 */
export function seedOf({
  driver,
  sessionId,
  signal,
}: Pick<LockedRecord, "driver" | "signal"> & { sessionId: string }): LockedRecord {
  const key = memoriesPrefix(sessionId) + noOwner;
  return { driver, place: { namespace: namespaces.memoryById, key }, signal };
}

/** Returns true if a location contains a seed, which are messages that were added before their session had an owner. */
export function isSeedKey({ namespace, key }: RecordKey): boolean {
  return namespace === namespaces.memoryById && key.endsWith(`/${noOwner}`);
}

/**
 * Moves a seed (messages added before the session had an owner) into the memory of a session. Returns false if there is
 * no seed or another session has begun to take it. Each step is repeatable: the seed names its session, then the memory
 * receives its messages, and the memory's next write removes the seed.
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
    // The seed is read after the session's memory: if the memory no longer has the flag `hasSeed` by then, the seed was
    // removed.
    const taken = await readSeed(seed);
    if (taken?.takenBy !== target.place.key) return undefined;
    await writeEntry(target);
    return toStoredMemory({ ...record, ...joined(taken, record), indexed: true, hasSeed: true });
  });
  return true;
}

/**
 * Removes the messages that were added before a session began from the storage that holds them, once the session's
 * memory has them.
 */
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

/** Puts the messages added before a session began in front of the session's own messages. */
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
