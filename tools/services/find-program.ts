import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Debian keeps PostgreSQL's programs beside the PATH, one folder per version. */
function debianFolders(): string[] {
  const top = "/usr/lib/postgresql";
  return existsSync(top) ? readdirSync(top).map((version) => join(top, version, "bin")) : [];
}

/** Where a program is, or `undefined`. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin", ...debianFolders()];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Installs a Debian package; only ever done when asked for. */
export function installDebianPackage(name: string): void {
  const run = (...args: string[]) =>
    execFileSync("apt-get", args, {
      stdio: ["ignore", "ignore", "inherit"],
      // The package must not start a server of its own.
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    });
  run("update", "-qq");
  run("install", "-y", "-qq", "--no-install-recommends", name);
}
