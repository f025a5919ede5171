import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/** Creates a folder for the tests of a file, and returns a function that returns a new path in it. */
export function useTestFolder(): () => string {
  let folder = "";
  let files = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "troupe-sqlite-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return () => join(folder, `${++files}.db`);
}
