import { checkStorageModel } from "@troupe-internal/fault-tools";
import pg from "pg";
import { afterAll, describe, it } from "vitest";
import { serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./postgres-storage.ts";

const newSchema = testSchemas();
const pool = new pg.Pool({ connectionString: serverUrl });
afterAll(async () => await pool.end());

describe.skipIf(serverUrl === "")("PostgresStorage", { timeout: 120_000 }, () => {
  it("answers any sequence of calls as the in-memory storage does", async () => {
    await checkStorageModel({ open: () => new PostgresStorage({ pool }, { schema: newSchema() }), numRuns: 50 });
  });
});
