import type { Logger } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { MongoClient } from "mongodb";
import { MongoDbVectorStore } from "../mongodb-vector-store.ts";
import type { MongoDbVectorOptions } from "../mongodb-vector-options.ts";

/** The address of the test server. Empty when there is none: the tests that need it are skipped. */
export const serverUrl = process.env["TROUPE_TEST_MONGODB_URL"] ?? "";

/** The address of a standalone test server, in the same way. */
export const standaloneUrl = process.env["TROUPE_TEST_MONGODB_STANDALONE_URL"] ?? "";

/** The address of a deployment with MongoDB Vector Search: Atlas, or a server with mongot. */
export const searchUrl = process.env["TROUPE_TEST_MONGODB_SEARCH_URL"] ?? "";

/** The database of this process's tests. */
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

/** Makes a store of a new collection on the test server. */
export function newStore(options: MongoDbVectorOptions = {}, url = serverUrl): MongoDbVectorStore {
  const defaults = { dbName: testDb, collectionName: newName(), logger: silent, timeoutMs: 60_000 };
  return new MongoDbVectorStore(url, { ...defaults, ...options });
}

/** Works with a client of the library, and closes it. */
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
