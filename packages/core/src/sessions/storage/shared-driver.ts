import { InMemoryStorage } from "./in-memory-storage.ts";
import type { SingleProcessStorage, StorageDriver } from "./storage-driver.ts";

/** A storage driver whose sessions several processes can lock, because it has `append` and `compareAndSet`. */
export type SharedDriver = StorageDriver & Required<Pick<StorageDriver, "append" | "compareAndSet">>;

/**
 * Returns the reason why the storage serves only one process (see `SingleProcessStorage`); undefined if there is none. Some
 * storages only have a reason after they have answered a call.
 */
export function singleProcessReason(driver: StorageDriver): string | undefined {
  return (driver as Partial<SingleProcessStorage>).singleProcess;
}

/** A storage driver that applies several writes or none of them. */
export type TransactingDriver = StorageDriver & Required<Pick<StorageDriver, "transaction">>;

/** Returns true if the driver supports transactions. A server without transactions is detected by its first answer. */
export function canTransact(driver: StorageDriver): driver is TransactingDriver {
  return driver.transaction !== undefined && singleProcessReason(driver) === undefined;
}

/**
 * Returns true if several processes may use the storage and the driver can keep them apart. Storage in memory is not
 * shared.
 */
export function isShared(driver: StorageDriver): driver is SharedDriver {
  const canKeepApart = driver.append !== undefined && driver.compareAndSet !== undefined;
  return canKeepApart && !(driver instanceof InMemoryStorage);
}
