import { TroupeError } from "../errors/troupe-error.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { storageDriver } from "./memory-options.ts";

/**
 * The storage of a `Memory` or `UserMemory`: its own, else that of its agents, else one in memory, created on first
 * use. Once decided it does not change: another storage would seem to have lost all records, and is refused.
 */
export class LateStorage {
  readonly #label: string;
  readonly #createDefault: () => StorageDriver;
  readonly #isOwn: boolean;
  #driver: StorageDriver | undefined;

  constructor(label: string, own: StorageDriver | undefined, createDefault: () => StorageDriver) {
    this.#label = label;
    this.#createDefault = createDefault;
    this.#isOwn = own !== undefined;
    this.#driver = own;
  }

  /** The storage, which is decided by this call at the latest. */
  get driver(): StorageDriver {
    return (this.#driver ??= this.#createDefault());
  }

  /** Uses an agent's storage when the memory has none of its own. */
  bind(driver: StorageDriver): void {
    storageDriver(driver, "storage", {});
    if (this.#isOwn) return;
    this.#driver ??= driver;
    if (this.#driver === driver) return;
    throw new TroupeError(
      "invalid_config",
      `This ${this.#label} already uses another storage than the agent's. Give the ${this.#label} a storage of its own, ` +
        "which all its agents then share.",
    );
  }
}
