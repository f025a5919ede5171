import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Lists the declarations that cannot be reached from the entry points. The compiler writes the declarations of every file;
 * these describe nothing that can be imported, and may name a private package that is bundled.
 */
export function unreachedDeclarations(dist: string, entryPoints: readonly string[]): string[] {
  const reached = new Set(entryPoints);
  // Iterating a set includes what is added meanwhile.
  for (const file of reached) for (const next of importsOf(dist, file)) reached.add(next);
  return globSync("**/*.d.ts", { cwd: dist }).filter((file) => !reached.has(file));
}

function importsOf(dist: string, file: string): string[] {
  const text = readFileSync(join(dist, file), "utf8");
  return [...text.matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g)].map(([, to = ""]) => {
    return `${join(dirname(file), to)}.d.ts`;
  });
}

// `node ../../tools/packages/prune-declarations.ts`, in a package that was built and has one entry point.
if (import.meta.main) {
  for (const file of unreachedDeclarations("dist", ["index.d.ts"])) rmSync(join("dist", file));
}
