import { MongodbServer } from "@troupe-internal/fault-tools";
import { needPythonEnvironment } from "./python-environment.ts";
import type { RunningService, Service } from "./service.ts";

/** The server's packages, all pinned and as wheels, so that nothing is compiled. For Python 3.11 to 3.13. */
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
 * MongoDB as a replica set: the server in `MONGODB_URL`, else SecantusDB, which implements MongoDB's protocol, with an
 * empty store in a temporary folder. MongoDB itself is in no package registry.
 */
export const mongodb: Service = {
  name: "mongodb",
  variable: "TROUPE_TEST_MONGODB_URL",
  start: async ({ mayInstall }) => await startMongodb("MONGODB_URL", { mayInstall, standalone: false }),
};

/** MongoDB as a standalone server: the server in `MONGODB_STANDALONE_URL`, else SecantusDB. */
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
  const environment = { name: "mongodb: SecantusDB", folder: MongodbServer.home, requirements };
  const advice = `pass --install to have SecantusDB installed, or name a server in ${variable}`;
  needPythonEnvironment(environment, { mayInstall, advice });
}
