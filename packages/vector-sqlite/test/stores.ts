import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseVectorStore } from "@troupe/core/vector";
import { afterAll, beforeAll } from "vitest";
import { SqliteVectorDatabase } from "../src/sqlite-vector-database.ts";
import { VectorFile } from "../src/vector-file.ts";
import type { VectorFileSettings } from "../src/vector-file.ts";

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
