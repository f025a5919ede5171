import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { needDebianPackage } from "./debian-package.ts";
import { MissingServer } from "./service.ts";

/** Python packages in a virtual environment of their own. */
export type PythonEnvironment = {
  /** The name of the environment in messages. */
  name: string;
  folder: string;
  /** All packages with their versions, as wheels, so that nothing is compiled. */
  requirements: readonly string[];
  /** True to also install the dependencies that `requirements` does not list. */
  withDependencies?: boolean;
};

type Needs = {
  mayInstall: boolean;
  /** Advice for the message of `MissingServer`, if nothing may be installed. */
  advice: string;
};

/**
 * Ensures that the environment exists. Throws `MissingServer` if it does not exist and cannot or may not be created.
 */
export function needPythonEnvironment(environment: PythonEnvironment, { mayInstall, advice }: Needs): void {
  const { name, folder, requirements, withDependencies = false } = environment;
  if (existsSync(folder)) return;
  if (!mayInstall) throw new MissingServer(advice);
  needDebianPackage({ name: "python3-venv", isInstalled: hasPython, mayInstall });
  const start = performance.now();
  try {
    run("python3", "-m", "venv", "--clear", folder);
    const options = ["--quiet", "--disable-pip-version-check", "--only-binary=:all:"];
    run(join(folder, "bin", "pip"), "install", ...options, ...(withDependencies ? [] : ["--no-deps"]), ...requirements);
  } catch {
    // Removed, because an incomplete environment would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer(`${name} could not be installed with pip`);
  }
  console.log(`${name} installed in ${Math.round((performance.now() - start) / 1000)} s`);
}

function hasPython(): boolean {
  try {
    run("python3", "-c", "import venv, ensurepip");
    return true;
  } catch {
    return false;
  }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });
}
