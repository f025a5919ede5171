import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort, startServer, stopServer } from "./own-process.ts";
import type { Service } from "./service.ts";

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
function asItsUser(): { prefix: string[]; own: (folder: string) => void } {
  if (process.getuid?.() !== 0) return { prefix: [], own: () => {} };
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const [user, group] = [id("-u"), id("-g")];
  return {
    prefix: ["setpriv", `--reuid=${user}`, `--regid=${group}`, "--clear-groups"],
    own: (folder) => chownSync(folder, user, group),
  };
}

/** PostgreSQL with an empty cluster in a temporary folder. */
export const postgres: Service = {
  variable: "TROUPE_TEST_POSTGRES_URL",
  program: "postgres",
  debianPackage: "postgresql",
  start: async (program) => {
    const { prefix, own } = asItsUser();
    const folder = mkdtempSync(join(tmpdir(), "troupe-postgres-"));
    own(folder);
    const data = join(folder, "data");
    const run = (args: string[]) =>
      execFileSync(args[0] ?? "", args.slice(1), { stdio: ["ignore", "ignore", "inherit"] });
    // The programs that belong to a server stand beside the real file, not beside a link to it.
    const initdb = join(dirname(realpathSync(program)), "initdb");
    run([...prefix, initdb, "-D", data, "-U", "troupe", "-A", "trust", "-E", "UTF8"]);
    const port = await freePort();
    const listen = ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`];
    const child = await startServer([...prefix, program, "-D", data, "-p", String(port), ...listen], port);
    return {
      url: `postgres://troupe@127.0.0.1:${port}/postgres`,
      stop: async () => {
        // SIGINT: end the clients' work and shut down, without waiting for them to leave.
        await stopServer(child, "SIGINT");
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};
