import { InMemoryStorage } from "../in-memory-storage.ts";
import type { StorageDriver, Write } from "../storage-driver.ts";
import { MapStorage } from "./map-storage.ts";
import { OneProcessStorage } from "./one-process-storage.ts";
import { SharedStorage } from "./shared-storage.ts";

/** A driver with the required methods and `transaction`. */
class TransactingStorage extends MapStorage {
  async transaction(writes: readonly Write[]): Promise<void> {
    for (const { namespace, key, value } of writes) {
      if (value === null) this.records.delete(`${namespace} ${key}`);
      else this.records.set(`${namespace} ${key}`, JSON.stringify(value));
    }
  }
}

/** Drivers for every way in which sessions are stored. */
export const drivers: [offer: string, create: () => StorageDriver][] = [
  ["the five required methods", () => new MapStorage()],
  ["transactions", () => new TransactingStorage()],
  ["everything", () => new InMemoryStorage()],
  ["everything, for several processes", () => new SharedStorage(new InMemoryStorage())],
  ["everything, but for one process", () => new OneProcessStorage(new InMemoryStorage())],
];
