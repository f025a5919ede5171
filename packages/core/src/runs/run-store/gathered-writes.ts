import { mapBounded } from "../../base/async/map-bounded.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isInvalid } from "../../sessions/storage/storage-failure.ts";
import { canTransact } from "../../sessions/storage/shared-driver.ts";
import type { Write } from "../../sessions/storage/storage-driver.ts";
import type { RunStorage } from "./run-record.ts";

/** Milliseconds for which deferrable writes are gathered. */
const gatherMs = 50;

/** A record to insert into the storage unless its key is taken. */
export type Insert = { readonly namespace: string; readonly key: string; readonly value: Json };

/** The records of one run to insert, and the callback that receives true if the last was inserted. */
type Insertion = { writes: readonly Insert[]; resolve: (isNew: boolean) => void; reject: (error: unknown) => void };

/**
 * Writes of many runs that are sent to the storage together, because the cost of a commit hardly depends on its size.
 */
export class GatheredWrites {
  readonly #storage: RunStorage;
  #insertions: Insertion[] = [];
  #late: Write[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: RunStorage) {
    this.#storage = storage;
  }

  /**
   * Inserts the records of a run that do not exist yet, together with those of the same turn of the event loop. Returns
   * true if the last record was inserted.
   */
  insert(writes: readonly Insert[]): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#insertions.push({ writes, resolve, reject });
      if (this.#insertions.length === 1) setImmediate(() => void this.#insertAll());
    });
  }

  /** Makes writes of a run soon. If they fail, or the process ends first, the sweep repeats them. */
  async writeLater(writes: readonly Write[]): Promise<void> {
    // Gathering writes gains nothing with storage in memory.
    if (this.#storage instanceof InMemoryStorage) return await writeAll(this.#storage, writes);
    this.#late.push(...writes);
    this.#timer ??= setTimeout(() => void this.flush(), gatherMs);
  }

  /** Makes the gathered writes immediately. Never rejects. */
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
      // No record was inserted, because those of one run are invalid: each run is inserted by itself.
      if (isInvalid(error)) return await this.#insertEach(insertions);
      // After any other failure all may be stored: a second insertion would mistake a new run for an existing run.
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

/** Makes writes in one transaction if the storage supports transactions. */
export async function writeAll(storage: RunStorage, writes: readonly Write[]): Promise<void> {
  if (canTransact(storage)) return await storage.transaction(writes);
  for (const { namespace, key, value } of writes) await storage.set(namespace, key, value);
}
