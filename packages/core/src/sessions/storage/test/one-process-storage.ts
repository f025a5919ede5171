import { TroupeError } from "../../../base/errors/troupe-error.ts";
import type { Json } from "../json.ts";
import type { AppendOptions, SingleProcessStorage, Write } from "../storage-driver.ts";
import { SharedStorage } from "./shared-storage.ts";

/** Storage that serves one process alone, and knows it after its first call, as MongoDB does on a standalone server. */
export class OneProcessStorage extends SharedStorage implements SingleProcessStorage {
  get singleProcess(): string | undefined {
    return this.calls.length === 0 ? undefined : "It serves one process. Use another storage.";
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  override async append(namespace: string, keyPrefix: string, value: Json, options: AppendOptions = {}) {
    if (options.ifHeld !== undefined) throw new TroupeError("invalid_config", "ifHeld needs several processes.");
    return await super.append(namespace, keyPrefix, value);
  }

  override async transaction(writes: readonly Write[]): Promise<void> {
    if (writes.length > 1) throw new TroupeError("invalid_config", "A transaction needs several processes.");
    for (const { namespace, key, value } of writes) await this.set(namespace, key, value);
  }
}
