import { mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderInMemory } from "./folder-in-memory.ts";

it("folderInMemory names a folder in which a test can make its own", () => {
  const folder = mkdtempSync(join(folderInMemory(), "troupe-test-"));

  expect(statSync(folder).isDirectory()).toBe(true);
  rmSync(folder, { recursive: true });
});
