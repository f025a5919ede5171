import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { storageDriver } from "./memory-options.ts";

/** The storages of a memory, in the order in which they became known: at least one. */
export type KnownStorages = readonly [StorageDriver, ...StorageDriver[]];

/**
 * The storages of a `Memory` or `UserMemory`: its own storage, else the storages of its agents, else a storage in
 * memory, created on first use. An agent writes to its own storage, so agents with different storages may share a
 * memory.
 */
export class MemoryStorages {
  readonly #own: KnownStorages | undefined;
  readonly #createDefault: () => StorageDriver;
  #ofAgents: readonly StorageDriver[] = [];
  #default: StorageDriver | undefined;

  constructor(own: StorageDriver | undefined, createDefault: () => StorageDriver) {
    this.#own = own && [own];
    this.#createDefault = createDefault;
  }

  /** Adds an agent's storage, if the memory has no storage of its own. */
  bind(driver: StorageDriver): void {
    storageDriver(driver, "storage", {});
    if (this.#own === undefined && !this.#ofAgents.includes(driver)) this.#ofAgents = [...this.#ofAgents, driver];
  }

  /**
   * All storages of the memory. If agents have storages, the in-memory storage is last, and only included if it was
   * used before the first of those storages was known.
   */
  get all(): KnownStorages {
    if (this.#own !== undefined) return this.#own;
    const [first, ...others] = this.#ofAgents;
    if (first === undefined) return [(this.#default ??= this.#createDefault())];
    return this.#default === undefined ? [first, ...others] : [first, ...others, this.#default];
  }

  /**
   * Returns the storage to which an agent with this storage writes. If the memory has its own storage, returns that; if
   * the agent has no storage, returns the first storage.
   */
  forAgent(storage: StorageDriver | undefined): StorageDriver {
    if (this.#own !== undefined || storage === undefined) return this.all[0];
    this.bind(storage);
    return storage;
  }
}
