import { createId } from "@troupe/core/kit";
import { MongoClient } from "mongodb";
import { MongoStorage } from "../mongo-storage.ts";
import type { MongoOptions } from "../mongo-options.ts";

/** The address of the test server. Empty if there is none: tests that need it are then skipped. */
export const serverUrl = process.env["TROUPE_TEST_MONGODB_URL"] ?? "";

/** The address of a standalone test server. Empty if there is none: tests that need it are then skipped. */
export const standaloneUrl = process.env["TROUPE_TEST_MONGODB_STANDALONE_URL"] ?? "";

/** The database for the tests of this process. */
export const testDb = `troupe_test_${createId().slice(0, 8)}`;

/** Returns a new name for a collection. */
export function newName(): string {
  return `c${createId()}`;
}

/** Opens a storage with a long timeout, because a hundred consecutive appends take long on a slow disk. */
export function newStorage(name = newName(), options?: MongoOptions, url = serverUrl): MongoStorage {
  return new MongoStorage(url, testDb, name, { timeoutMs: 60_000, ...options });
}

/** Runs work with a client of the library, then closes the client. */
export async function withClient<Result>(
  work: (client: MongoClient) => Promise<Result>,
  url = serverUrl,
): Promise<Result> {
  const client = new MongoClient(url, {
    writeConcern: { w: "majority", journal: true },
    serverSelectionTimeoutMS: 5000,
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Drops the tests' database. */
export async function dropTestDb(url = serverUrl): Promise<void> {
  await withClient(async (client) => await client.db(testDb).dropDatabase(), url);
}
