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
import pg from "pg";
import { afterAll, describe, it } from "vitest";
import { serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./postgres-storage.ts";

const newSchema = testSchemas();
const pool = new pg.Pool({ connectionString: serverUrl });
afterAll(async () => await pool.end());

describe.skipIf(serverUrl === "").each([
  ["connections of its own", () => new PostgresStorage(serverUrl, { schema: newSchema() })],
  ["a given pool", () => new PostgresStorage({ pool }, { schema: newSchema() })],
])("PostgresStorage on %s [postgres.driver]", (_, create) => {
  const subject = { create, dispose: async (storage: PostgresStorage) => await storage.close() };
  checkConformance(it, storageDriverCases, subject);
  checkConformance(it, storageListManyCases, subject);
  checkConformance(it, storageListOptionsCases, subject);
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
