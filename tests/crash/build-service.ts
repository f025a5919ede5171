import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "tsup";

/** The service in files of its own, until they are removed. */
export type BuiltService = { file: URL; remove: () => void };

/** Libraries that are no modules look for `require`; the name is nobody else's. */
const banner =
  'import { createRequire as requireOfBundle } from "node:module"; const require = requireOfBundle(import.meta.url);';

/** Bundles the service's sources with all that they import: so built, it starts in a sixth of the time, and it starts often. */
export async function buildService(): Promise<BuiltService> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-crash-service-"));
  await build({
    config: false,
    silent: true,
    entry: { service: fileURLToPath(new URL("./service.ts", import.meta.url)) },
    outDir: folder,
    format: "esm",
    // A module that is not one loses its names where it becomes a file of its own.
    splitting: false,
    outExtension: () => ({ js: ".mjs" }),
    target: "node22",
    removeNodeProtocol: false,
    noExternal: [/./],
    banner: { js: banner },
    esbuildOptions: (options) => {
      options.conditions = ["@troupe/source"];
    },
  });
  return {
    file: pathToFileURL(join(folder, "service.mjs")),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
