import { execFileSync } from "node:child_process";
import { MissingServer } from "./service.ts";

/** A Debian package that a server needs. */
export type DebianPackage = { name: string; isInstalled: () => boolean; mayInstall: boolean };

/** Ensures that the package is installed. Throws `MissingServer` if it is not installed and may not be. */
export function needDebianPackage({ name, isInstalled, mayInstall }: DebianPackage): void {
  if (isInstalled()) return;
  if (!mayInstall) throw new MissingServer(`install Debian's ${name}, or pass --install`);
  try {
    install(name);
  } catch {
    throw new MissingServer(`Debian's ${name} could not be installed`);
  }
}

function install(name: string): void {
  const run = (...args: string[]) =>
    execFileSync("apt-get", args, {
      stdio: ["ignore", "ignore", "inherit"],
      // The package must not start its own server.
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    });
  run("update", "-qq");
  run("install", "-y", "-qq", "--no-install-recommends", name);
}
