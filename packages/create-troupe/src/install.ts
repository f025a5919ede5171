import { spawn } from "node:child_process";
import type { PackageManagerName } from "./package-manager.ts";

/** Codes of failures to reach a registry, as npm, pnpm, Yarn and Bun print them. */
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED|ConnectionRefused|ConnectionClosed|UnexpectedError|META_FETCH_FAIL|error sending request|network/i;

/**
 * Installs the dependencies of a folder, and shows the output of the package manager. If that fails, resolves with a
 * sentence about the failure, which also says if the registry could not be reached.
 */
export async function install(packageManager: PackageManagerName, folder: string): Promise<string | undefined> {
  let printed = "";
  const windows = process.platform === "win32";
  // On Windows, package managers are scripts, which only a shell can start. No part of the command comes from the user.
  const [command, args] = windows ? [`${packageManager} install`, []] : [packageManager, ["install"]];
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], shell: windows });
  child.stdout.on("data", (bytes: Buffer) => process.stdout.write(bytes));
  child.stderr.on("data", (bytes: Buffer) => {
    printed += bytes.toString();
    process.stderr.write(bytes);
  });
  const code = await new Promise<number | string | null>((resolve) => {
    child.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    child.on("close", resolve);
  });
  return code === 0 ? undefined : failureOf(packageManager, code, printed);
}

/** Returns a sentence about a failed installation. */
export function failureOf(packageManager: PackageManagerName, code: number | string | null, printed: string): string {
  const rest = `The project is complete: run ${packageManager} install in it later.`;
  if (code === "ENOENT") return `${packageManager} is not installed, or not on the PATH. ${rest}`;
  if (unreachable.test(printed)) {
    return `The dependencies are not installed, because ${packageManager} could not reach its registry. ${rest}`;
  }
  return `The dependencies are not installed: ${packageManager} install ended with ${code}. ${rest}`;
}
