import { describe, it } from "vitest";
import { checkConformance } from "../../src/testing/conformance/check-conformance.ts";
import { storageAppendCases } from "../../src/testing/conformance/storage-append-cases.ts";
import { storageCompareAndSetCases } from "../../src/testing/conformance/storage-compare-and-set-cases.ts";
import { storageDriverCases, storagePingCases } from "../../src/testing/conformance/storage-driver-cases.ts";
import { storageInsertAllCases } from "../../src/testing/conformance/storage-insert-all-cases.ts";
import { storageListManyCases } from "../../src/testing/conformance/storage-list-many-cases.ts";
import { storageListOptionsCases } from "../../src/testing/conformance/storage-list-cases.ts";
import { storageTransactionCases } from "../../src/testing/conformance/storage-transaction-cases.ts";
import { storageWatchCases } from "../../src/testing/conformance/storage-watch-cases.ts";
import { checkWrongSubjects } from "./check-wrong-subjects.ts";
import { wrongStorageKeys, wrongStorageRecords } from "./wrong-storage-records.ts";
import { wrongStorageListOptions, wrongStorageLists, wrongStorageLives } from "./wrong-storage-lists.ts";
import { wrongStorageListings } from "./wrong-storage-list-many.ts";
import { wrongStorageValues } from "./wrong-storage-values.ts";
import { wrongStorageInserts, wrongStorageWatches } from "./wrong-storage-inserts.ts";
import * as writes from "./wrong-storage-writes.ts";
import { storageBut } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";

describe("InMemoryStorage behind a proxy", () => {
  const subject = {
    create: () => storageBut(() => ({})),
    dispose: async (storage: WholeStorage) => await storage.close(),
  };
  checkConformance(it, storageDriverCases, subject);
  checkConformance(it, storageListOptionsCases, subject);
  checkConformance(it, storageListManyCases, subject);
  checkConformance(it, storageAppendCases, subject);
  checkConformance(it, storageCompareAndSetCases, subject);
  checkConformance(it, storageInsertAllCases, subject);
  checkConformance(it, storageTransactionCases, subject);
  checkConformance(it, storageWatchCases, subject);
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
  checkWrongSubjects(it, storageListManyCases, wrongStorageListings);
  checkWrongSubjects(it, storageAppendCases, writes.wrongStorageAppends);
  checkWrongSubjects(it, storageCompareAndSetCases, writes.wrongStorageComparisons);
  checkWrongSubjects(it, storageInsertAllCases, wrongStorageInserts);
  checkWrongSubjects(it, storageTransactionCases, writes.wrongStorageTransactions);
  checkWrongSubjects(it, storageWatchCases, wrongStorageWatches);
  checkWrongSubjects(it, storagePingCases, writes.wrongStoragePings);
});
