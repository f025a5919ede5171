import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { MissingServer } from "../../tools/services/service.ts";

/** Tools of npm outside of the workspace, in a folder of their own. The version in its name is raised with those of the packages. */
const folder = join(homedir(), ".cache", "troupe", "openapi-tools-1");

const packages = [
  "@hey-api/openapi-ts@0.99.0",
  "@redocly/cli@2.77.0",
  "@stoplight/spectral-cli@6.16.3",
  "@types/node@24",
  "esbuild@0.28.2",
  "openapi-fetch@0.17.0",
  "openapi-typescript@7.13.0",
  "orval@8.38.0",
  "swagger-typescript-api@13.13.0",
  "typescript@5.9.3",
];

/** The folder of the installed packages. */
export const npmModules = join(folder, "node_modules");

/** Variables that switch off what the tools would tell their makers. */
export const silent = { REDOCLY_TELEMETRY: "off", ORVAL_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1", CI: "true" };

/** Returns the path of the program of an installed package. */
export function npmProgram(name: string): string {
  return join(npmModules, ".bin", name);
}

/** Ensures that the tools are installed; throws `MissingServer` when they are not and may not be, or cannot be. */
export function needNpmTools(mayInstall: boolean): void {
  if (existsSync(npmModules)) return;
  if (!mayInstall) throw new MissingServer("pass --install to have the tools of OpenAPI installed");
  const start = performance.now();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer("the tools of OpenAPI could not be installed with npm");
  }
  process.stdout.write(`tools of OpenAPI installed in ${Math.round((performance.now() - start) / 1000)} s\n`);
}
