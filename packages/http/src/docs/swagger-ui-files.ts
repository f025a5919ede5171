import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The names of the files of Swagger UI that the docs page loads. */
export const pageFiles = ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"] as const;

/** The names of the licence files that must be shipped with the files of Swagger UI. */
export const licenceFiles = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"] as const;

/**
 * Returns the folder that the docs routes serve Swagger UI from: `swagger-ui` beside the built code or, in a checkout
 * without it, the package `swagger-ui-dist`.
 */
export function findSwaggerUi(): string {
  const built = fileURLToPath(new URL("swagger-ui", import.meta.url));
  return existsSync(join(built, pageFiles[0])) ? built : findOriginal();
}

/**
 * Returns the folder of the installed package `swagger-ui-dist`, which the build copies from. Throws if it is not
 * installed.
 */
export function findOriginal(): string {
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
}
