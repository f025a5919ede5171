import { existsSync } from "node:fs";
import { defineConfig } from "tsup";

/** Files that may be an entry point: that of a package, those of core for each audience, the main file of an app. */
const audiences = [
  "runs",
  "kit",
  "provider",
  "storage",
  "vector",
  "service",
  "transport",
  "testing",
  "react",
  "presets",
];
/** Files that run in a worker thread of their own. */
const workers = ["docx-worker", "html-worker", "pdf-worker"];
/** A file that stands in for a dependency in bundles for some runtimes. */
const standIns = ["provider/wire/no-undici"];
const entryPoints = ["index", ...audiences, ...workers, ...standIns, "main"].map((name) => `src/${name}.ts`);

/** Build settings of all packages. tsup writes the JavaScript, `tsc -p tsconfig.build.json` writes the declarations. */
export default defineConfig({
  entry: entryPoints.filter((file) => existsSync(file)),
  format: ["esm"],
  // tsup's own declarations need the compiler API that TypeScript 7 no longer has.
  dts: false,
  clean: true,
  target: "node22",
  // The default rewrites "node:sqlite" to "sqlite", which does not exist.
  removeNodeProtocol: false,
  // Private packages are not published, so they are bundled.
  noExternal: [/^@troupe-internal\//],
  // The `imports` of a package are resolved where it is used, by the conditions of that runtime.
  external: [/^#/],
});
