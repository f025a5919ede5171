import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseVectorStore } from "@troupe/core/vector";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { SqliteVectorDatabase } from "../src/sqlite-vector-database.ts";
import { VectorFile } from "../src/vector-file.ts";
import type { VectorFileSettings } from "../src/vector-file.ts";
import { SqliteVectorStore } from "../src/sqlite-vector-store.ts";
import type { SqliteVectorOptions } from "../src/sqlite-vector-store.ts";

/**
 * Creates a folder for the tests of a file, and returns a function that returns a new path in it. Called in each file of
 * tests: hooks of a module that several files import would run for the first of them alone.
 */
export function useVectorFiles(): () => string {
  let folder = "";
  let files = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "troupe-vectors-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return () => join(folder, `${++files}.db`);
}

/** Opens a store as on a platform without the extension. */
export function openSlowStore(
  path: string,
  { warn = () => {}, ...options }: { dimensions?: number; warn?: VectorFileSettings["warn"] } = {},
): DatabaseVectorStore {
  const findExtension = (): Promise<string> => Promise.reject(new Error("There is none."));
  const settings = { durability: "normal", busyTimeoutMs: 5000, table: "troupe_vectors", warn, findExtension } as const;
  const open = async () => new SqliteVectorDatabase(await VectorFile.open(path, settings));
  return new DatabaseVectorStore({ ...options, name: "The SQLite vector store", searchesText: true, open });
}

/** A document at a place in the space of the embeddings. */
export const documentAt = (id: string, embedding: number[], metadata?: Record<string, unknown>) => ({
  id,
  content: `content of ${id}`,
  embedding,
  ...(metadata && { metadata }),
});

/** Opens a store that is closed after the test. */
export function openStore(file: string, options: SqliteVectorOptions = {}): SqliteVectorStore {
  const store = new SqliteVectorStore(file, { durability: "normal", ...options });
  onTestFinished(async () => await store.close());
  return store;
}

/** Returns the ids of the documents that a search finds, the nearest first. */
export async function idsOf(store: SqliteVectorStore, filter = {}): Promise<string[]> {
  return (await store.search([1, 0], { filter })).map(({ document }) => document.id);
}
