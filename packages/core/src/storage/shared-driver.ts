import { InMemoryStorage } from "./in-memory-storage.ts";
import type { StorageDriver } from "./storage-driver.ts";

/** A storage driver whose sessions several processes can lock, because it has `append` and `compareAndSet`. */
export type SharedDriver = StorageDriver & Required<Pick<StorageDriver, "append" | "compareAndSet">>;

/**
 * Tells if several processes may use the storage and the driver can keep them apart. Storage in memory is not shared.
 */
export function isShared(driver: StorageDriver): driver is SharedDriver {
  const canKeepApart = driver.append !== undefined && driver.compareAndSet !== undefined;
  return canKeepApart && !(driver instanceof InMemoryStorage);
}
