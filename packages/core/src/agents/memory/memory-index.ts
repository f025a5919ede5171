import { untilAborted } from "../../base/async/until-aborted.ts";
import { memoryEntryKey, namespaces } from "../../sessions/session/session-keys.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { recordVersion } from "../../sessions/storage/stored-record.ts";
import type { LockedRecord } from "./record-lock.ts";

const { memory, memoryById } = namespaces;

/**
 * The entries of memories in `memory-by-id`, by which the program finds the memory of a session id whatever its owner.
 *
 * An entry is there before its memory is first written, and is removed after it: so after a crash there may be an entry
 * without a memory, which readers skip and remove, and no memory without its entry. A removal and a first write at the same
 * time, of two processes, each look again when they are done: the one that is done last finds both.
 */
export async function writeEntry({ driver, place, signal }: LockedRecord): Promise<void> {
  await untilAborted(() => addEntry(driver, place.key), signal);
}

/** Writes the entry again if a removal at the time of the memory's first write has taken it. */
export async function confirmEntry({ driver, place, signal }: LockedRecord): Promise<void> {
  const confirm = async () => {
    if ((await driver.get(memoryById, memoryEntryKey(place.key))) === null) await addEntry(driver, place.key);
  };
  await untilAborted(confirm, signal);
}

/** Removes the entry of a memory that is gone. */
export async function removeEntry({ driver, place, signal }: LockedRecord): Promise<void> {
  const remove = async () => {
    await driver.delete(memoryById, memoryEntryKey(place.key));
    if ((await driver.get(memory, place.key)) !== null) await addEntry(driver, place.key);
  };
  await untilAborted(remove, signal);
}

async function addEntry(driver: StorageDriver, key: string): Promise<void> {
  await driver.set(memoryById, memoryEntryKey(key), { v: recordVersion });
}
