import { describe, it } from "vitest";
import { checkConformance } from "./check-conformance.ts";
import { storageAppendCases } from "./storage-append-cases.ts";
import { storageCompareAndSetCases } from "./storage-compare-and-set-cases.ts";
import { storageDriverCases } from "./storage-driver-cases.ts";
import { storageListOptionsCases } from "./storage-list-options-cases.ts";
import { storagePingCases } from "./storage-ping-cases.ts";
import { storageTransactionCases } from "./storage-transaction-cases.ts";
import { checkWrongSubjects } from "./wrong/check-wrong-subjects.ts";
import { wrongStorageKeys } from "./wrong/wrong-storage-keys.ts";
import { wrongStorageListOptions, wrongStorageLists, wrongStorageLives } from "./wrong/wrong-storage-lists.ts";
import { wrongStorageRecords } from "./wrong/wrong-storage-records.ts";
import { wrongStorageValues } from "./wrong/wrong-storage-values.ts";
import * as writes from "./wrong/wrong-storage-writes.ts";
import { storageBut } from "./wrong/wrong-storage.ts";
import type { WholeStorage } from "./wrong/wrong-storage.ts";

describe("a storage behind a proxy", () => {
  const subject = {
    create: () => storageBut(() => ({})),
    dispose: async (storage: WholeStorage) => await storage.close(),
  };
  checkConformance(it, storageDriverCases, subject);
  checkConformance(it, storageListOptionsCases, subject);
  checkConformance(it, storageAppendCases, subject);
  checkConformance(it, storageCompareAndSetCases, subject);
  checkConformance(it, storageTransactionCases, subject);
  checkConformance(it, storagePingCases, subject);
});

describe("the storage suites", () => {
  checkWrongSubjects(it, storageDriverCases, {
    ...wrongStorageRecords,
    ...wrongStorageKeys,
    ...wrongStorageValues,
    ...wrongStorageLists,
    ...wrongStorageLives,
  });
  checkWrongSubjects(it, storageListOptionsCases, wrongStorageListOptions);
  checkWrongSubjects(it, storageAppendCases, writes.wrongStorageAppends);
  checkWrongSubjects(it, storageCompareAndSetCases, writes.wrongStorageComparisons);
  checkWrongSubjects(it, storageTransactionCases, writes.wrongStorageTransactions);
  checkWrongSubjects(it, storagePingCases, writes.wrongStoragePings);
});
