import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The files of Swagger UI that a page needs. */
export const pageFiles = ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"] as const;

/** The licence files that must be passed on with them. */
export const licenceFiles = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"] as const;

/** Returns the folder of the files: beside the built code, or in a checkout the package `swagger-ui-dist`. */
export function findSwaggerUi(): string {
  const built = fileURLToPath(new URL("swagger-ui", import.meta.url));
  return existsSync(join(built, pageFiles[0])) ? built : findOriginal();
}

/** Returns the folder of the package `swagger-ui-dist`. */
export function findOriginal(): string {
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
}
