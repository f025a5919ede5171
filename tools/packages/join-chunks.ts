import { globSync, readFileSync, rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { rolldown } from "rolldown";

/** Entry points that authors of drivers import. They stay light: of what they share, each loads `base` alone. */
const forDrivers = ["kit", "storage", "vector"];

/**
 * Returns the name of the file that holds what these entry points share, or `undefined` if a single one uses it.
 * `callers` is a file of its own, small as it is: it loads `node:crypto`, which the main entry point does without.
 */
export function sharedFile(entryPoints: readonly string[]): string | undefined {
  const uses = (...names: string[]): boolean => names.some((name) => entryPoints.includes(name));
  if (entryPoints.length < 2) return undefined;
  if (entryPoints.every((name) => name === "kit" || name === "provider")) return "wire";
  if (uses(...forDrivers)) return "base";
  // Whatever sends requests, such as webhooks, uses the same connections and address checks as providers do.
  if (uses("provider")) return "network";
  if (uses("index")) return entryPoints.every((name) => name === "index" || name === "testing") ? "agents" : "core";
  if (uses("runs")) return uses("transport") ? "callers" : "durable";
  return "serving";
}

/** Lists the entry points from which a file is reached. */
function entryPointsAbove(file: string, importersOf: (file: string) => readonly string[]): string[] {
  const above = new Set([file]);
  // Iterating over a set includes elements that are added meanwhile.
  for (const reached of above) for (const importer of importersOf(reached)) above.add(importer);
  return [...above].filter((reached) => importersOf(reached).length === 0).map((reached) => basename(reached, ".js"));
}

/**
 * Joins the chunks that tsup wrote into a few files. tsup cuts what entry points share into a file for each combination of
 * them: 33 files, of which the main entry point loaded 29. A file costs about half a millisecond to load, whatever it holds.
 */
async function joinChunks(dist: string, entryPoints: readonly string[]): Promise<void> {
  const chunks = globSync(`${dist}/chunk-*.js`);
  const bundle = await rolldown({
    input: Object.fromEntries(entryPoints.map((name) => [name, resolve(dist, `${name}.js`)])),
    platform: "node",
    external: (id) => !/^[./]/.test(id),
    treeshake: { moduleSideEffects: false },
    preserveEntrySignatures: "allow-extension",
  });
  await bundle.write({
    dir: dist,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    minifyInternalExports: false,
    codeSplitting: {
      // A shared file holds what its entry points share, and not all that this imports.
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: "shared",
          name: (file, graph) =>
            sharedFile(entryPointsAbove(file, (of) => graph.getModuleInfo(of)?.importers ?? [])) ?? null,
        },
      ],
    },
  });
  await bundle.close();
  for (const chunk of chunks) rmSync(chunk);
}

// `node ../../tools/packages/join-chunks.ts`: run it in a built package of several entry points.
if (import.meta.main) {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    publishConfig: { exports: Record<string, string | { default: string }> };
  };
  const entries = Object.values(manifest.publishConfig.exports).filter((entry) => typeof entry !== "string");
  await joinChunks(
    "dist",
    entries.map((entry) => basename(entry.default, ".js")),
  );
}
