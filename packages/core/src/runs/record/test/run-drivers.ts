import type { Json } from "../../../sessions/storage/json.ts";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import { MapStorage } from "../../../sessions/storage/test/map-storage.ts";
import { OneProcessStorage } from "../../../sessions/storage/test/one-process-storage.ts";
import { SharedStorage } from "../../../sessions/storage/test/shared-storage.ts";
import { equalJson } from "../../../base/util/equal-json.ts";
import type { RunStorage } from "../run-record.ts";

/** A driver with the required methods and `compareAndSet`, which is all that runs need. */
class ComparingStorage extends MapStorage {
  // oxlint-disable-next-line max-params -- the contract's shape
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    const place = `${namespace} ${key}`;
    const stored = this.records.get(place);
    const wanted: unknown = expected === null ? null : JSON.parse(JSON.stringify(expected));
    if (!equalJson(stored === undefined ? null : JSON.parse(stored), wanted)) return false;
    if (next === null) this.records.delete(place);
    else this.records.set(place, JSON.stringify(next));
    return true;
  }
}

/** Drivers for every way in which runs are stored. */
export const runDrivers: [offer: string, create: () => RunStorage][] = [
  ["compareAndSet alone", () => new ComparingStorage()],
  ["everything", () => new InMemoryStorage()],
  ["everything, for several processes", () => new SharedStorage(new InMemoryStorage())],
  ["everything, but for one process", () => new OneProcessStorage(new InMemoryStorage())],
];
