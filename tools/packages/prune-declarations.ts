import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The compiler writes the declarations of every file. Those that no door leads to describe what cannot be imported, and
 * may name a private package that is bundled.
 */
export function unreachedDeclarations(dist: string, doors: readonly string[]): string[] {
  const reached = new Set(doors);
  // A set gives what is added while it is walked, too.
  for (const file of reached) for (const next of importsOf(dist, file)) reached.add(next);
  return globSync("**/*.d.ts", { cwd: dist }).filter((file) => !reached.has(file));
}

function importsOf(dist: string, file: string): string[] {
  const text = readFileSync(join(dist, file), "utf8");
  return [...text.matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g)].map(([, to = ""]) => {
    return `${join(dirname(file), to)}.d.ts`;
  });
}

// `node ../../tools/packages/prune-declarations.ts`, from a package that was built: it has one door.
if (import.meta.main) {
  for (const file of unreachedDeclarations("dist", ["index.d.ts"])) rmSync(join("dist", file));
}
