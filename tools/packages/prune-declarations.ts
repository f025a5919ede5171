import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * Lists the declarations that cannot be reached from the entry points. The compiler writes declarations for every file;
 * these describe nothing that can be imported, and may name a bundled private package.
 */
export function unreachedDeclarations(dist: string, entryPoints: readonly string[]): string[] {
  const reached = new Set(entryPoints);
  // Iterating over a set includes elements that are added meanwhile.
  for (const file of reached) for (const next of importsOf(dist, file)) reached.add(next);
  return globSync("**/*.d.ts", { cwd: dist }).filter((file) => !reached.has(file));
}

function importsOf(dist: string, file: string): string[] {
  const text = readFileSync(join(dist, file), "utf8");
  return [...text.matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g)].map(([, to = ""]) => {
    return `${join(dirname(file), to)}.d.ts`;
  });
}

/** Returns the declarations of a package's entry points, relative to `dist`. */
function entryPointsOf(manifest: { publishConfig: { exports: Record<string, string | { types: string }> } }): string[] {
  const entries = Object.values(manifest.publishConfig.exports).filter((entry) => typeof entry !== "string");
  return entries.map(({ types }) => relative("dist", types));
}

// `node ../../tools/packages/prune-declarations.ts`: run it in a built package.
if (import.meta.main) {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Parameters<typeof entryPointsOf>[0];
  for (const file of unreachedDeclarations("dist", entryPointsOf(manifest))) rmSync(join("dist", file));
}
