import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** The most names of each entry point of core. A name more is a name that everyone reads. */
const mostNames = { index: 160, runs: 45, kit: 55, provider: 90, storage: 25, vector: 30, transport: 110, testing: 60 };

function exportsOf(entryPoint: string): string[] {
  const text = readFileSync(join(root, `packages/core/src/${entryPoint}.ts`), "utf8");
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim().replace(/^.* as /, ""))
    .filter((name) => name !== "");
}

it("each name of core stands in one entry point", () => {
  const all = Object.keys(mostNames).flatMap(exportsOf);

  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});

it.each(Object.entries(mostNames))("the entry point %s of core has at most %i names", (entryPoint, most) => {
  expect(exportsOf(entryPoint).length).toBeGreaterThan(0);
  expect(exportsOf(entryPoint).length).toBeLessThanOrEqual(most);
});
