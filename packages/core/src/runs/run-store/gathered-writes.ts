import { mapBounded } from "../../base/async/map-bounded.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isInvalid } from "../../sessions/storage/storage-failure.ts";
import { canTransact } from "../../sessions/storage/shared-driver.ts";
import type { Write } from "../../sessions/storage/storage-driver.ts";
import type { RunStorage } from "./run-record.ts";

/** Milliseconds for which writes are gathered that may come late. */
const gatherMs = 50;

/** A record to insert. */
export type Insert = { readonly namespace: string; readonly key: string; readonly value: Json };

/** The records of one run to insert, and what is told whether the last of them was. */
type Insertion = { writes: readonly Insert[]; resolve: (isNew: boolean) => void; reject: (error: unknown) => void };

/** Writes of many runs that go to the storage together: what a commit costs hardly depends on what is in it. */
export class GatheredWrites {
  readonly #storage: RunStorage;
  #insertions: Insertion[] = [];
  #late: Write[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: RunStorage) {
    this.#storage = storage;
  }

  /**
   * Inserts the records of a run that do not exist yet, with those that come in the same turn of the event loop. Returns
   * whether the last one was inserted.
   */
  insert(writes: readonly Insert[]): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#insertions.push({ writes, resolve, reject });
      if (this.#insertions.length === 1) setImmediate(() => void this.#insertAll());
    });
  }

  /** Makes writes soon that the sweep makes up for if they fail, or if the process ends before. */
  async writeLater(writes: readonly Write[]): Promise<void> {
    // Nothing is gained in memory.
    if (this.#storage instanceof InMemoryStorage) return await writeAll(this.#storage, writes);
    this.#late.push(...writes);
    this.#timer ??= setTimeout(() => void this.flush(), gatherMs);
  }

  /** Makes the writes that wait. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const writes = this.#late.splice(0);
    if (writes.length > 0) await writeAll(this.#storage, writes).catch(() => undefined);
  }

  async #insertAll(): Promise<void> {
    const insertions = this.#insertions.splice(0);
    const storage = this.#storage;
    if (storage.insertAll === undefined || insertions.length === 1) return await this.#insertEach(insertions);
    try {
      const inserted = await storage.insertAll(insertions.flatMap(({ writes }) => writes));
      let last = -1;
      for (const { writes: own, resolve } of insertions) resolve(inserted[(last += own.length)] === true);
    } catch (error) {
      // Nothing is inserted: the records of one run are at fault.
      if (isInvalid(error)) return await this.#insertEach(insertions);
      // After any other failure all may be there: a second insertion would take a run for one that was there before.
      for (const { reject } of insertions) reject(error);
    }
  }

  async #insertEach(insertions: readonly Insertion[]): Promise<void> {
    await mapBounded(insertions, async ({ writes, resolve, reject }) => {
      await insertRecords(this.#storage, writes).then((inserted) => resolve(inserted.at(-1) === true), reject);
    });
  }
}

async function insertRecords(storage: RunStorage, writes: readonly Insert[]): Promise<boolean[]> {
  if (storage.insertAll !== undefined) return await storage.insertAll(writes);
  const inserted: boolean[] = [];
  for (const { namespace, key, value } of writes) {
    inserted.push(await storage.compareAndSet(namespace, key, null, value));
  }
  return inserted;
}

/** Makes writes in one transaction, where the storage has them. */
export async function writeAll(storage: RunStorage, writes: readonly Write[]): Promise<void> {
  if (canTransact(storage)) return await storage.transaction(writes);
  for (const { namespace, key, value } of writes) await storage.set(namespace, key, value);
}
