import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { storageDriver } from "./memory-options.ts";

/** The storages of a memory, in the order in which they became known: at least one. */
export type KnownStorages = readonly [StorageDriver, ...StorageDriver[]];

/**
 * The storages of a `Memory` or `UserMemory`: its own storage, else those of its agents, else a storage in memory,
 * created on first use. An agent writes to its own storage, so agents with different storages may share a memory.
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
   * All storages of the memory. With agents' storages, the in-memory storage is last, and only included if it was used
   * before an agent's storage was known.
   */
  get all(): KnownStorages {
    if (this.#own !== undefined) return this.#own;
    const [first, ...others] = this.#ofAgents;
    if (first === undefined) return [(this.#default ??= this.#createDefault())];
    return this.#default === undefined ? [first, ...others] : [first, ...others, this.#default];
  }

  /**
   * Returns the storage to write to for an agent with this storage. It is the first storage if the agent has no
   * storage, and the memory's own storage if it has one.
   */
  forAgent(storage: StorageDriver | undefined): StorageDriver {
    if (this.#own !== undefined || storage === undefined) return this.all[0];
    this.bind(storage);
    return storage;
  }
}
