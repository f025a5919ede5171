import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

const root = import.meta.dirname;

/** Adds the files that are loaded with a file: those that it imports for more than their types. */
function addLoaded(file: string, loaded: Set<string>): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const source = readFileSync(file, "utf8");
  for (const { groups } of source.matchAll(/^(?:import|export) (?!type\b)[^;]*? from "(?<path>\.[^"]+)"/gm)) {
    addLoaded(join(dirname(file), groups?.["path"] ?? ""), loaded);
  }
  return loaded;
}

it("the parts for push notifications and extended cards are loaded where they are used, and not with the package", () => {
  const files = [...addLoaded(join(root, "index.ts"), new Set())].map((file) => relative(root, file));
  expect(files).toContain("server/answer-call.ts");
  expect(files.filter((file) => /^push\/|extended-card|answer-card/.test(file)).toSorted()).toEqual([
    "push/open-push.ts",
    "push/push-options.ts",
  ]);
});
