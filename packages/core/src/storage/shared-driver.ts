import { InMemoryStorage } from "./in-memory-storage.ts";
import type { StorageDriver } from "./storage-driver.ts";

/** A driver over which several processes can lock sessions. */
export type SharedDriver = StorageDriver & Required<Pick<StorageDriver, "append" | "compareAndSet">>;

/** Returns whether the storage may be used by other processes, and the driver can keep them apart. Memory is not shared. */
export function isShared(driver: StorageDriver): driver is SharedDriver {
  const canKeepApart = driver.append !== undefined && driver.compareAndSet !== undefined;
  return canKeepApart && !(driver instanceof InMemoryStorage);
}
