import { wrongOption } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";

/**
 * The storage of a memory: its own, else the one that its agents bring, else one in memory that is made on first use. It is
 * settled once. Whatever would settle it differently later is refused, for what was remembered would seem to be lost.
 */
export class LateStorage {
  readonly #label: string;
  readonly #createDefault: () => StorageDriver;
  readonly #isOwn: boolean;
  #driver: StorageDriver | undefined;

  constructor(label: string, own: StorageDriver | undefined, createDefault: () => StorageDriver) {
    if (own !== undefined) checkDriver(own, `${label}.storage`);
    this.#label = label;
    this.#createDefault = createDefault;
    this.#isOwn = own !== undefined;
    this.#driver = own;
  }

  /** The storage to use from now on. */
  get driver(): StorageDriver {
    return (this.#driver ??= this.#createDefault());
  }

  /** Takes an agent's storage where the memory has none of its own. */
  bind(driver: StorageDriver): void {
    checkDriver(driver, "storage");
    if (this.#isOwn) return;
    this.#driver ??= driver;
    if (this.#driver === driver) return;
    throw new TroupeError(
      "invalid_config",
      `This ${this.#label} already keeps its records in another storage than the agent's: give the ${this.#label} a ` +
        "storage of its own, so that all its agents share that one.",
    );
  }
}

function checkDriver(value: unknown, option: string): void {
  const isDriver = typeof value === "object" && value !== null && "get" in value && "set" in value && "list" in value;
  if (!isDriver) throw wrongOption(option, "a StorageDriver", value);
}
