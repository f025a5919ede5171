import { runNamespaces } from "../../../agents/journal/log-entry.ts";
import type { Json } from "../../../sessions/storage/json.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import { faultyStorage } from "../../../testing/faulty-storage.ts";
import type { RunStorage } from "../run-record.ts";

/** Returns all that a storage holds of runs, by namespace and key. */
export async function contentsOf(storage: StorageDriver): Promise<Record<string, Json>> {
  const names = Object.values(runNamespaces);
  const lists = await Promise.all(names.map((name) => storage.list(name)));
  return Object.fromEntries(
    lists.flatMap((list, index) => list.map(({ key, value }) => [`${names[index]} ${key}`, value])),
  );
}

/** Returns the places of all that a storage holds of runs, sorted. */
export async function placesIn(storage: StorageDriver): Promise<string[]> {
  return Object.keys(await contentsOf(storage)).toSorted();
}

/**
 * Makes a connection to a storage that calls `onCall` before each call, with its method, namespace and key, and waits
 * for that.
 */
export function watchedStorage(storage: RunStorage, onCall: (call: string) => void): RunStorage {
  return faultyStorage(storage, ({ method, args: [namespace, key] }) => {
    if (typeof namespace === "string") onCall(`${method} ${namespace} ${String(key)}`);
    return undefined;
  }) as unknown as RunStorage;
}
