import { storageKeyCases } from "./storage-key-cases.ts";
import { storageLifeCases } from "./storage-life-cases.ts";
import { storageListCases } from "./storage-list-cases.ts";
import { storageRecordCases } from "./storage-record-cases.ts";
import { storageValueCases } from "./storage-value-cases.ts";

/**
 * What every `StorageDriver` promises; the subject is an empty storage. What a driver has beyond the five required
 * members has tables of its own, which the driver's test adds.
 */
export const storageDriverCases = {
  ...storageRecordCases,
  ...storageKeyCases,
  ...storageValueCases,
  ...storageListCases,
  ...storageLifeCases,
};
