import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { MissingServer } from "../services/service.ts";

/** Programs of npm outside of the workspace, in a folder of their own. */
export interface NpmTools {
  /** The name of the folder in the cache. Its version is raised with those of the packages. */
  readonly folder: string;
  /** Their name in messages. */
  readonly title: string;
  /** The packages with their versions, by the names under which they are installed. */
  readonly packages: Readonly<Record<string, string>>;
  /** Versions that replace those of indirect dependencies. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** Returns a path among the installed packages. */
export function inTools({ folder }: NpmTools, ...path: readonly string[]): string {
  return join(homedir(), ".cache", "troupe", folder, "node_modules", ...path);
}

/** Returns the path of a program in a package, which may have come without the right to be executed. */
export function programIn(tools: NpmTools, ...path: readonly string[]): string {
  const file = inTools(tools, ...path);
  chmodSync(file, 0o755);
  return file;
}

/** Ensures that the tools are installed; throws `MissingServer` if they are not and may not be, or cannot be. */
export function needTools(tools: NpmTools, mayInstall: boolean): void {
  const folder = inTools(tools, "..");
  if (existsSync(inTools(tools))) return;
  if (!mayInstall) throw new MissingServer(`pass --install to have ${tools.title} installed`);
  const { packages: dependencies, overrides = {} } = tools;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies, overrides }),
  );
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    execFileSync("npm", ["install", ...options], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer(`${tools.title} could not be installed with npm`);
  }
}
