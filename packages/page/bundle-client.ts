import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";

const source = join(import.meta.dirname, "client");
const entryPoints = [
  "main.tsx",
  "styles/style.css",
  "inspector/inspector.css",
  "inspector/graph/graph.css",
  "charts/chart.css",
];

/**
 * Bundles the scripts, the style sheet and the web font of the page, and returns the files by name. The hash in each name is
 * that of the content. The inspector, the graph of a workflow and charts have scripts and style sheets of their own, which `main` loads
 * when they are first shown.
 */
export async function bundleClient(): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: entryPoints.map((path) => join(source, path)),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".woff2": "file" },
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

/** Writes the bundled files of the page into `dist/client` of the package, with the licences of what they hold beside them. */
async function writeClient(): Promise<void> {
  const folder = join(import.meta.dirname, "dist/client");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of await bundleClient()) await writeFile(join(folder, name), content);
  const { resolve } = createRequire(import.meta.url);
  for (const name of ["preact", "uplot", "@fontsource-variable/geist"]) {
    const licence = join(dirname(resolve(`${name}/package.json`)), "LICENSE");
    await copyFile(licence, join(folder, `${basename(name)}.LICENSE.txt`));
  }
}

if (process.argv[1] === import.meta.filename) await writeClient();
