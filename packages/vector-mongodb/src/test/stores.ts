import type { Logger } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { MongoClient } from "mongodb";
import { MongoDbVectorStore } from "../mongodb-vector-store.ts";
import type { MongoDbVectorOptions } from "../mongodb-vector-options.ts";

/** The address of the test server. Empty if there is none: tests that need it are then skipped. */
export const serverUrl = process.env["TROUPE_TEST_MONGODB_URL"] ?? "";

/** The address of a standalone test server. Empty if there is none: tests that need it are then skipped. */
export const standaloneUrl = process.env["TROUPE_TEST_MONGODB_STANDALONE_URL"] ?? "";

/** The address of a deployment with MongoDB Vector Search: Atlas, or a server with mongot. */
export const searchUrl = process.env["TROUPE_TEST_MONGODB_SEARCH_URL"] ?? "";

/** The database for the tests of this process. */
export const testDb = `troupe_test_${createId().slice(0, 8)}`;

/** Returns a new name for a collection. */
export function newName(): string {
  return `v${createId()}`;
}

/** A logger that writes nothing. */
export const silent: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silent,
  withSecrets: () => silent,
};

/** Makes a store with a new collection on the test server. */
export function newStore(options: MongoDbVectorOptions = {}, url = serverUrl): MongoDbVectorStore {
  const defaults = { dbName: testDb, collectionName: newName(), logger: silent, timeoutMs: 60_000 };
  return new MongoDbVectorStore(url, { ...defaults, ...options });
}

/** Runs work with a client of the library, then closes the client. */
export async function withClient<Result>(
  work: (client: MongoClient) => Promise<Result>,
  url = serverUrl,
): Promise<Result> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5000 });
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
