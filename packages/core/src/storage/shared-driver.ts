import { InMemoryStorage } from "./in-memory-storage.ts";
import type { LimitedStorage, StorageDriver } from "./storage-driver.ts";

/** A storage driver whose sessions several processes can lock, because it has `append` and `compareAndSet`. */
export type SharedDriver = StorageDriver & Required<Pick<StorageDriver, "append" | "compareAndSet">>;

/**
 * Tells if the storage is known to serve one process alone (`LimitedStorage`): some only know when they have answered a
 * call.
 */
export function isSingleProcess(driver: StorageDriver): boolean {
  return (driver as Partial<LimitedStorage>).singleProcess !== undefined;
}

/** A storage driver that applies several writes or none. */
export type TransactingDriver = StorageDriver & Required<Pick<StorageDriver, "transaction">>;

/** Tells if the driver has transactions, as far as is known: a server without them is known by its first answer. */
export function canTransact(driver: StorageDriver): driver is TransactingDriver {
  return driver.transaction !== undefined && !isSingleProcess(driver);
}

/**
 * Tells if several processes may use the storage and the driver can keep them apart. Storage in memory is not shared.
 */
export function isShared(driver: StorageDriver): driver is SharedDriver {
  const canKeepApart = driver.append !== undefined && driver.compareAndSet !== undefined;
  return canKeepApart && !(driver instanceof InMemoryStorage);
}
