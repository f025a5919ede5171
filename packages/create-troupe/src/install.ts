import { spawn } from "node:child_process";
import { packageManagers } from "./package-manager.ts";
import type { PackageManagerName } from "./package-manager.ts";

/** Codes of failures to reach a registry, as npm, pnpm, Yarn and Bun print them. */
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED|ConnectionRefused|ConnectionClosed|UnexpectedError|META_FETCH_FAIL|error sending request|network/i;

/**
 * Installs the dependencies of a folder, and shows the output of the package manager. If that fails, resolves with a
 * sentence about the failure, which also says if the registry could not be reached.
 */
export async function install(
  packageManager: PackageManagerName,
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  let printed = "";
  const windows = process.platform === "win32";
  // On Windows, package managers are scripts, which only a shell can start. No part of the command comes from the user.
  const { program } = packageManagers[packageManager];
  const [command, args] = windows ? [`${program} install`, []] : [program, ["install"]];
  // Where `CI` is set, Yarn from 2 on refuses to write the lock file of a new project.
  const env = { ...environment, YARN_ENABLE_IMMUTABLE_INSTALLS: "false" };
  const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], shell: windows });
  // Yarn from 2 on prints its errors to the standard output.
  const shown = [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const;
  for (const [from, to] of shown) {
    from.on("data", (bytes: Buffer) => {
      printed += bytes.toString();
      to.write(bytes);
    });
  }
  const code = await new Promise<number | string | null>((resolve) => {
    child.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    child.on("close", resolve);
  });
  return code === 0 ? undefined : failureOf(packageManager, code, printed);
}

/** Returns a sentence about a failed installation. */
export function failureOf(packageManager: PackageManagerName, code: number | string | null, printed: string): string {
  const { program } = packageManagers[packageManager];
  const rest = `The project is complete: run ${program} install in it later.`;
  if (code === "ENOENT") return `${program} is not installed, or not on the PATH. ${rest}`;
  if (unreachable.test(printed)) {
    return `The dependencies are not installed, because ${program} could not reach its registry. ${rest}`;
  }
  return `The dependencies are not installed: ${program} install ended with ${code}. ${rest}`;
}
