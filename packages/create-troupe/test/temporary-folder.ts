import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";

/** Returns a new empty folder, which is removed after the test. Its name has a space and letters beyond ASCII. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe créer 创-"));
  folders.push(folder);
  return folder;
}

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
