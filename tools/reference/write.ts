import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { referencePages } from "./reference-pages.ts";
import { statesPage } from "./draw-transitions.ts";

/** `pnpm reference`: writes the pages of `docs/reference`, and the table of transitions in `docs/durable-run-states.md`. */
const root = join(import.meta.dirname, "../..");
mkdirSync(join(root, "docs/reference"), { recursive: true });
for (const { path, text } of referencePages(root)) writeFileSync(join(root, path), text);
const architecture = statesPage(root);
writeFileSync(join(root, architecture.path), architecture.text);
