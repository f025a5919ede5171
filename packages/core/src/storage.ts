import { checkRuntime } from "./base/util/check-runtime.ts";

// Types of the contract `StorageDriver`.
export type { StorageEntry, AppendOptions, Listing, ListOptions, Write } from "./sessions/storage/storage-driver.ts";

// A storage driver over a database.
export type { SingleProcessStorage } from "./sessions/storage/storage-driver.ts";
export { DatabaseStorage } from "./sessions/storage/database-storage.ts";
export type { DatabaseStorageOptions } from "./sessions/storage/database-storage.ts";
export type {
  AppendedKey,
  AppendRequest,
  RangeQuery,
  RecordDatabase,
  RequiredLease,
  RecordInsert,
  TextRecord,
  RecordCompareAndSet,
  RecordWrite,
} from "./sessions/storage/record-database.ts";
export { checkLeaseRecord } from "./sessions/storage/check-lease.ts";
export { checkRecordKey, checkPrefix } from "./sessions/storage/check-key.ts";
export { encodeKey, encodeSequence, decodeSequence } from "./sessions/storage/encode-key.ts";
export { parseJson, toJson } from "./sessions/storage/check-json.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();
