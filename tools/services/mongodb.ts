import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { MongodbServer } from "@troupe-internal/fault-tools";
import { needDebianPackage } from "./debian-package.ts";
import { MissingServer } from "./service.ts";
import type { RunningService, Service } from "./service.ts";

/** Packages of the server, all pinned and as wheels, so that nothing is compiled. For Python 3.11 to 3.13. */
const requirements = [
  `SecantusDB==${MongodbServer.version}`,
  "dnspython==2.9.2",
  "future==1.0.0",
  "numpy==2.4.6",
  "pymongo==4.20.0",
  "python-dateutil==4.0.0",
  "s2sphere==0.2.5",
  "shapely==2.2.0",
  "tzdata==2026.6",
];

/**
 * MongoDB as a replica set: the server that `MONGODB_URL` names, else SecantusDB, which implements MongoDB's protocol, with
 * an empty store in a temporary folder. MongoDB itself is in no package registry.
 */
export const mongodb: Service = {
  name: "mongodb",
  variable: "TROUPE_TEST_MONGODB_URL",
  start: async ({ mayInstall }) => await startMongodb("MONGODB_URL", { mayInstall, standalone: false }),
};

/** MongoDB as a standalone server, in the same way: the one that `MONGODB_STANDALONE_URL` names, else SecantusDB. */
export const standaloneMongodb: Service = {
  name: "mongodb-standalone",
  variable: "TROUPE_TEST_MONGODB_STANDALONE_URL",
  start: async ({ mayInstall }) => await startMongodb("MONGODB_STANDALONE_URL", { mayInstall, standalone: true }),
};

async function startMongodb(
  variable: string,
  { mayInstall, standalone }: { mayInstall: boolean; standalone: boolean },
): Promise<RunningService> {
  const given = process.env[variable] ?? "";
  if (given !== "") return { url: given, stop: async () => {} };
  if (!MongodbServer.isInstalled()) need(mayInstall, variable);
  const server = await MongodbServer.create({ standalone });
  return { url: server.url, stop: async () => await server.close() };
}

function need(mayInstall: boolean, variable: string): void {
  if (!mayInstall)
    throw new MissingServer(`pass --install to have SecantusDB installed, or name a server in ${variable}`);
  needDebianPackage({ name: "python3-venv", isInstalled: hasPython, mayInstall });
  const start = performance.now();
  try {
    run("python3", "-m", "venv", "--clear", MongodbServer.home);
    const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
    run(join(MongodbServer.home, "bin", "pip"), "install", ...options, ...requirements);
  } catch {
    // An incomplete environment would be mistaken for a complete one.
    rmSync(MongodbServer.home, { recursive: true, force: true });
    throw new MissingServer("SecantusDB could not be installed with pip");
  }
  console.log(`mongodb: SecantusDB installed in ${Math.round((performance.now() - start) / 1000)} s`);
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
