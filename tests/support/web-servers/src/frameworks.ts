import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The frameworks, in a folder of their own. The version in its name is raised with those of the packages. */
const folder = join(homedir(), ".cache", "troupe", "web-servers-1");

const packages = [
  "@fastify/middie@9.3.6",
  "@hono/node-server@2.1.9",
  "connect@3.7.0",
  "express@4.22.3",
  "fastify@5.12.8",
  "hono@4.13.19",
  "srvx@1.0.8",
];

/** Returns true if the frameworks are installed. */
export function haveFrameworks(): boolean {
  return existsSync(join(folder, "node_modules"));
}

/** Installs the frameworks with npm, outside of the workspace. Throws if that fails. */
export function installFrameworks(): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch (error) {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Loads a framework from the folder. Its types are not installed in this workspace. */
export async function loadFramework<Exports>(name: string): Promise<Exports> {
  const path = createRequire(join(folder, "index.js")).resolve(name);
  return (await import(pathToFileURL(path).href)) as Exports;
}
