import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The files of Swagger UI that a page needs. */
export const pageFiles = ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"] as const;

/** What its authors ask to be passed on with them. */
export const licenceFiles = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"] as const;

/**
 * Where the files are: beside the built code, whose build has copied them there, or in the package that they come from,
 * which only this repository installs.
 */
export function findSwaggerUi(): string {
  const built = fileURLToPath(new URL("swagger-ui", import.meta.url));
  return existsSync(join(built, pageFiles[0])) ? built : findOriginal();
}

/** The package that the files come from. */
export function findOriginal(): string {
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
}
