import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";

const source = join(import.meta.dirname, "client");

/**
 * Bundles the scripts and the style sheet of the page, and returns the files by name. The hash in each name is that of the
 * content. The inspector and the graph of a workflow have scripts and style sheets of their own, which `main` loads when they are
 * first shown.
 */
export async function bundleClient(): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: ["main.tsx", "styles/style.css", "inspector/inspector.css", "inspector/graph/graph.css"].map((path) =>
      join(source, path),
    ),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    outdir: "client",
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    write: false,
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    // Without the tsconfig of the sources, which is only for the type checker.
    tsconfigRaw: {},
    legalComments: "none",
    logLevel: "error",
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

/** Writes the bundled files of the page into `dist/client` of the package, with the licence of Preact beside them. */
async function writeClient(): Promise<void> {
  const folder = join(import.meta.dirname, "dist/client");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of await bundleClient()) await writeFile(join(folder, name), content);
  const preact = dirname(createRequire(import.meta.url).resolve("preact/package.json"));
  await copyFile(join(preact, "LICENSE"), join(folder, "preact.LICENSE.txt"));
}

if (process.argv[1] === import.meta.filename) await writeClient();
