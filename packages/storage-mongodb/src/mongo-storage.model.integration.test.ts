import { checkStorageModel } from "@troupe-internal/fault-tools";
import { afterAll, describe, it } from "vitest";
import { dropTestDb, newStorage, serverUrl } from "./test/collections.ts";

describe.skipIf(serverUrl === "")("MongoStorage", { timeout: 120_000 }, () => {
  afterAll(async () => await dropTestDb());

  it("answers any sequence of calls as the in-memory storage does", async () => {
    await checkStorageModel({ open: () => newStorage(), numRuns: 30 });
  });
});
