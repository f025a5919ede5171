import { createId } from "@troupe/core/kit";
import { MongoClient } from "mongodb";
import { MongoStorage } from "../mongo-storage.ts";
import type { MongoOptions } from "../mongo-options.ts";

/** The address of the test server. Empty when there is none: the tests that need it are skipped. */
export const serverUrl = process.env["TROUPE_TEST_MONGODB_URL"] ?? "";

/** The address of a standalone test server, in the same way. */
export const standaloneUrl = process.env["TROUPE_TEST_MONGODB_STANDALONE_URL"] ?? "";

/** The database of this process's tests. */
export const testDb = `troupe_test_${createId().slice(0, 8)}`;

/** Returns a new name for a collection. */
export function newName(): string {
  return `c${createId()}`;
}

/** Opens a storage that is patient: a hundred appends one after the other take long where the disk is slow. */
export function newStorage(name = newName(), options?: MongoOptions, url = serverUrl): MongoStorage {
  return new MongoStorage(url, testDb, name, { timeoutMs: 60_000, ...options });
}

/** Works with a client of the library, and closes it. */
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
