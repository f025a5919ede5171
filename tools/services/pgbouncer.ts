import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, PostgresServer } from "@troupe-internal/fault-tools";
import { needDebianPackage } from "./debian-package.ts";
import { findProgram } from "./find-program.ts";
import { startServer, stopServer } from "./own-process.ts";
import type { Service } from "./service.ts";

const program = "pgbouncer";

/**
 * PgBouncer in transaction mode, in front of a PostgreSQL of its own: each transaction may use another server
 * connection.
 */
export const pgbouncer: Service = {
  name: "pgbouncer",
  variable: "TROUPE_TEST_PGBOUNCER_URL",
  start: async ({ mayInstall }) => {
    needDebianPackage({ name: "pgbouncer", isInstalled: () => findProgram(program) !== undefined, mayInstall });
    needDebianPackage({ name: "postgresql", isInstalled: () => PostgresServer.isInstalled(), mayInstall });
    const server = await PostgresServer.create();
    const folder = mkdtempSync(join(tmpdir(), "troupe-pgbouncer-"));
    try {
      const port = await freePort();
      const file = join(folder, "pgbouncer.ini");
      writeFileSync(file, configuration(server.port, port));
      chmodSync(folder, 0o755);
      // PgBouncer refuses to run as root.
      const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
      const child = await startServer([findProgram(program) ?? program, ...asUser, file], port);
      const stop = async (): Promise<void> => {
        await stopServer(child, "SIGTERM");
        await server.close();
        rmSync(folder, { recursive: true });
      };
      return { url: `postgres://troupe@127.0.0.1:${port}/postgres`, stop };
    } catch (error) {
      await server.close();
      rmSync(folder, { recursive: true });
      throw error;
    }
  },
};

function configuration(serverPort: number, port: number): string {
  return `[databases]
* = host=127.0.0.1 port=${serverPort} user=troupe
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 1000
ignore_startup_parameters = statement_timeout, extra_float_digits
`;
}
