import { PostgresServer } from "@troupe-internal/fault-tools";
import { needDebianPackage } from "./debian-package.ts";
import type { Service } from "./service.ts";

/** PostgreSQL with an empty cluster in a temporary folder. */
export const postgres: Service = {
  name: "postgres",
  variable: "TROUPE_TEST_POSTGRES_URL",
  start: async ({ mayInstall }) => {
    needDebianPackage({ name: "postgresql", isInstalled: () => PostgresServer.isInstalled(), mayInstall });
    const server = await PostgresServer.create();
    return { url: server.url, stop: () => server.close() };
  },
};
