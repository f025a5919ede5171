import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What stands in a file after the breach is planted: a new text, or what becomes of the present one. */
export type Planting = Readonly<Record<string, string | ((text: string) => string)>>;

/** Plants a breach in a copy of the workspace, and gives what takes it out again. */
export function plant(planting: Planting, copy: string): () => void {
  const before = Object.keys(planting).map((file) => {
    const path = join(copy, file);
    return { path, text: existsSync(path) ? readFileSync(path, "utf8") : undefined };
  });
  for (const [file, change] of Object.entries(planting)) {
    const path = join(copy, file);
    writeFileSync(path, typeof change === "string" ? change : change(readFileSync(path, "utf8")));
  }
  return () => {
    for (const { path, text } of before) {
      if (text === undefined) rmSync(path);
      else writeFileSync(path, text);
    }
  };
}
