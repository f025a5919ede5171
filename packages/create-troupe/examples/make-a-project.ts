import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const parent = mkdtempSync(join(tmpdir(), "troupe-example-"));

// #region readme
import { addPackage, createProject } from "create-troupe";

const { folder, files } = createProject({ folder: join(parent, "my-agents"), template: "service", vendor: "openai" });
const { lines } = addPackage(folder, "storage-sqlite");
// #endregion

assert.ok(files.includes("src/helper.test.ts"));
assert.match(lines[0], /SqliteStorage/);
rmSync(parent, { recursive: true });
