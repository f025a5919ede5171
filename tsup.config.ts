import { existsSync } from "node:fs";
import { defineConfig } from "tsup";

/** The files that may be an entry: a package's door, core's two further doors, an app's main. */
const doors = ["src/index.ts", "src/adapter.ts", "src/testing.ts", "src/main.ts"];

/** Shared by every workspace: tsup writes the JavaScript, `tsc -p tsconfig.build.json` writes the declarations. */
export default defineConfig({
  entry: doors.filter((file) => existsSync(file)),
  format: ["esm"],
  // tsup's own declarations need the compiler API that TypeScript 7 no longer has.
  dts: false,
  clean: true,
  target: "node22",
  // The default rewrites "node:sqlite" to "sqlite", which does not exist.
  removeNodeProtocol: false,
  // Private packages are not published: what uses one carries it along.
  noExternal: [/^@troupe-internal\//],
});
