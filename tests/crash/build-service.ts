import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "tsup";

/** The built service. */
export type BuiltService = { file: URL; remove: () => void };

/** CommonJS libraries need `require`, under a name that nothing else uses. */
const banner =
  'import { createRequire as requireOfBundle } from "node:module"; const require = requireOfBundle(import.meta.url);';

/** Bundles the file of a service with all its imports, since it starts often and starts much faster so. */
export async function buildService(source: URL): Promise<BuiltService> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-crash-service-"));
  await build({
    config: false,
    silent: true,
    entry: { service: fileURLToPath(source) },
    outDir: folder,
    format: "esm",
    // A CommonJS library in a file of its own would lose its named exports.
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
