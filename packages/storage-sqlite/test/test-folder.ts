import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { folderInMemory } from "@troupe-internal/fault-tools";
import { afterAll, beforeAll } from "vitest";

/**
 * Creates a folder for the tests of a file, and returns a function that returns a new path in it: in memory, or elsewhere
 * where a commit must take its time.
 */
export function useTestFolder(parent: () => string = folderInMemory): () => string {
  let folder = "";
  let files = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(parent(), "troupe-sqlite-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return () => join(folder, `${++files}.db`);
}
