import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The Swagger UI files that the docs page loads. */
export const pageFiles = ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"] as const;

/** The licence files that must be shipped with the Swagger UI files. */
export const licenceFiles = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"] as const;

/**
 * Returns the folder from which Swagger UI is served: `swagger-ui` beside the built code, or the package
 * `swagger-ui-dist` in a checkout that is not built.
 */
export function findSwaggerUi(): string {
  const built = join(dirname(fileURLToPath(import.meta.url)), "swagger-ui");
  // Reading the exports of `node:fs` at import would load its promises too, and slow the start of every server.
  const { existsSync } = process.getBuiltinModule("node:fs");
  return existsSync(join(built, pageFiles[0])) ? built : findOriginal();
}

/**
 * Returns the folder of the installed package `swagger-ui-dist`, from which the build copies. Throws if it is not
 * installed.
 */
export function findOriginal(): string {
  // The package is not loaded by an import, because the bundler of Next.js would search for the package, which exists
  // only in a checkout of this repository.
  const { createRequire } = process.getBuiltinModule("node:module");
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
}
