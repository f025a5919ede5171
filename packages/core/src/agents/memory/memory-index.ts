import { untilAborted } from "../../base/async/until-aborted.ts";
import { memoryEntryKey, namespaces } from "../../sessions/session/session-keys.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { recordVersion } from "../../sessions/storage/stored-record.ts";
import type { LockedRecord } from "./record-lock.ts";

const { memory, memoryById } = namespaces;

/**
 * Writes the index entry of a memory in `memory-by-id`, through which the program finds the memory of a session id
 * without its owner.
 *
 * An entry is written before its memory and removed after it. A crash may therefore leave an entry without a memory,
 * which readers skip and remove, but never a memory without an entry. If two processes remove and write at the same
 * time, each process checks again at its end: the process that ends last sees both changes.
 */
export async function writeEntry({ driver, place, signal }: LockedRecord): Promise<void> {
  await untilAborted(() => addEntry(driver, place.key), signal);
}

/**
 * Writes the index entry of a memory again if a concurrent removal has deleted the entry during the first write of the
 * memory.
 */
export async function confirmEntry({ driver, place, signal }: LockedRecord): Promise<void> {
  const confirm = async () => {
    if ((await driver.get(memoryById, memoryEntryKey(place.key))) === null) await addEntry(driver, place.key);
  };
  await untilAborted(confirm, signal);
}

/** Removes the index entry of a deleted memory. Writes it again if another process has stored the memory again. */
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
