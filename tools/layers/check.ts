import { join } from "node:path";
import * as layers from "../../layers.mjs";
import { findBreaches } from "./find-breaches.ts";
import { readWorkspace } from "./read-workspace.ts";

/** `pnpm layers`: prints every breach of the architecture, and fails when there is one. */
const workspace = readWorkspace(join(import.meta.dirname, "../.."));
const breaches = findBreaches(workspace, layers);

for (const { file, line, rule, message } of breaches) console.error(`${file}:${line} ${rule}\n  ${message}`);
if (breaches.length > 0) {
  console.error(`\n${breaches.length} breaches of the architecture in ${workspace.files.length} files.`);
  process.exitCode = 1;
} else {
  console.log(`${workspace.files.length} files keep to the architecture.`);
}
