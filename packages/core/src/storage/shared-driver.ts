import { InMemoryStorage } from "./in-memory-storage.ts";
import type { StorageDriver } from "./storage-driver.ts";

/** A driver over which several processes can take turns. */
export type SharedDriver = StorageDriver & Required<Pick<StorageDriver, "append" | "compareAndSet">>;

/** Whether other processes may use the same storage, and the driver can keep them apart. Memory is one process's own. */
export function isShared(driver: StorageDriver): driver is SharedDriver {
  const canKeepApart = driver.append !== undefined && driver.compareAndSet !== undefined;
  return canKeepApart && !(driver instanceof InMemoryStorage);
}
