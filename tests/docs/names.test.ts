import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

const packages = globSync("{packages,internal}/*", { cwd: root }).toSorted();

/** Returns the names that files of a package export where they declare them, each with its files. */
function declaredNames(folder: string): Map<string, string[]> {
  const files = globSync(`${folder}/{src,client}/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: ["**/*.test.ts", "**/*.d.ts", "**/test/**"],
  });
  const found = new Map<string, string[]>();
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    const names = text.matchAll(/^export (?:async )?(?:abstract )?(?:type|interface|class|const|function\*?) (\w+)/gm);
    for (const name of new Set([...names].map(([, each = ""]) => each))) {
      found.set(name, [...(found.get(name) ?? []), file]);
    }
  }
  return found;
}

it.each(packages)("%s gives no two exports of its files the same name", (folder) => {
  const shared = [...declaredNames(folder)].filter(([, files]) => files.length > 1);

  expect(Object.fromEntries(shared)).toEqual({});
});

it("a search of the sources finds the names of every package", () => {
  expect(packages.filter((folder) => declaredNames(folder).size === 0)).toEqual([]);
});
