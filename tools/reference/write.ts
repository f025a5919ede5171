import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { referencePages } from "./reference-pages.ts";

/** `pnpm reference`: writes the pages of `docs/reference`. */
const root = join(import.meta.dirname, "../..");
mkdirSync(join(root, "docs/reference"), { recursive: true });
for (const { path, text } of referencePages(root)) writeFileSync(join(root, path), text);
