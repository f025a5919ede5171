import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStorage } from "../processes/open-storage.ts";
import type { StorageAddress } from "../processes/open-storage.ts";
import { bareModel, checkSession, knownCases, largeCases, oddSessions } from "./anything-said.ts";

const postgresUrl = process.env["TROUPE_TEST_POSTGRES_URL"] ?? "";
const mongodbUrl = process.env["TROUPE_TEST_MONGODB_URL"] ?? "";

/** Runs sessions of a model that says anything in a storage, and returns their number. */
async function runOddSessions(address: StorageAddress): Promise<number> {
  const storage = await openStorage(address);
  onTestFinished(() => storage.close());
  let sessions = 0;
  const check = async (session: Parameters<typeof checkSession>[0]) => {
    await checkSession(session, bareModel(), storage);
    sessions += 1;
  };
  for (const answer of [...knownCases, ...largeCases]) await check({ answers: [answer], isStreamed: true });
  await fc.assert(fc.asyncProperty(oddSessions, check), { numRuns: 100 });
  return sessions;
}

describe.skipIf(postgresUrl === "")("a model that says anything, in PostgreSQL", () => {
  it("loses no turn [model-calls.anything-said]", async () => {
    expect(await runOddSessions({ kind: "postgres", address: postgresUrl })).toBeGreaterThan(100);
  });
});

describe.skipIf(mongodbUrl === "")("a model that says anything, in MongoDB", () => {
  it("loses no turn [model-calls.anything-said]", async () => {
    expect(await runOddSessions({ kind: "mongodb", address: mongodbUrl })).toBeGreaterThan(100);
  });
});
