import {
  checkConformance,
  sessionTurnDeletionCases,
  sessionListCases,
  sessionLargeDataCases,
  sessionTitleCases,
  storageAppendCases,
  storageCompareAndSetCases,
  storageDriverCases,
  storageInsertAllCases,
  storageListManyCases,
  storageListOptionsCases,
  storagePingCases,
  storageTransactionCases,
  storageWatchCases,
} from "@troupe/core/testing";
import { afterAll, describe, it } from "vitest";
import type { MongoStorage } from "./mongo-storage.ts";
import { dropTestDb, newStorage, serverUrl } from "./test/collections.ts";

describe.skipIf(serverUrl === "")("MongoStorage [mongodb.driver]", { timeout: 120_000 }, () => {
  afterAll(async () => await dropTestDb());

  const subject = {
    create: () => newStorage(),
    dispose: async (storage: MongoStorage) => await storage.close(),
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
  checkConformance(it, sessionListCases, subject);
  checkConformance(it, sessionTitleCases, subject);
  checkConformance(it, sessionTurnDeletionCases, subject);
  checkConformance(it, sessionLargeDataCases, subject);
});
