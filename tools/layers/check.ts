import { join } from "node:path";
import * as layers from "./layers.ts";
import { findViolations } from "./find-violations.ts";
import { readWorkspace } from "./read-workspace.ts";

/** `pnpm layers`: prints every violation of the architecture, and fails if there are any. */
const workspace = readWorkspace(join(import.meta.dirname, "../.."));
const violations = findViolations(workspace, layers);

for (const { file, line, rule, message } of violations) console.error(`${file}:${line} ${rule}\n  ${message}`);
if (violations.length > 0) {
  console.error(`\n${violations.length} violations of the architecture in ${workspace.files.length} files.`);
  process.exitCode = 1;
} else {
  console.log(`${workspace.files.length} files keep to the architecture.`);
}
