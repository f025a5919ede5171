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
import { describe, it } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { SqliteStorage } from "./sqlite-storage.ts";

const newFile = useTestFolder();

describe.each([
  ["a file", newFile],
  ["memory", () => ":memory:"],
])("SqliteStorage in %s [sqlite.driver]", (_, path) => {
  const subject = {
    create: () => new SqliteStorage(path()),
    dispose: async (storage: SqliteStorage) => await storage.close(),
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
