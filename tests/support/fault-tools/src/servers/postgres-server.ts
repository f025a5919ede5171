import { execFile, execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";

const run = promisify(execFile);

/**
 * A PostgreSQL server on a free port, with an empty cluster in a temporary folder. It can be stopped and restarted at
 * the same address. It runs without fsync: stored data survives a kill of the server, but not a crash of the machine.
 */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #programs: string | undefined;

  private constructor(folder: string, port: number, programs: string | undefined) {
    this.#folder = folder;
    this.port = port;
    this.#programs = programs;
  }

  /** Returns true if PostgreSQL is installed on this machine. */
  static isInstalled(): boolean {
    try {
      execFileSync(program("pg_ctl"), ["--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Creates the cluster and starts the server. `programs` is the folder of PostgreSQL's programs; by default, Debian's.
   */
  static async create({ programs }: { programs?: string } = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "troupe-postgres-"));
    const user = postgresUser();
    if (user !== undefined) chownSync(folder, user.id, user.group);
    const server = new PostgresServer(folder, await freePort(), programs);
    await server.#run("initdb", ["-D", server.#data, "-U", "troupe", "-A", "trust", "-E", "UTF8"]);
    await server.start();
    return server;
  }

  get url(): string {
    return `postgres://troupe@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts the server, also after `stop`. Resolves when it accepts connections. */
  async start(): Promise<void> {
    const settings = ["listen_addresses=127.0.0.1", `unix_socket_directories=${this.#folder}`, "fsync=off"];
    const options = [`-p ${this.port}`, ...settings.map((setting) => `-c ${setting}`)].join(" ");
    await this.#run("pg_ctl", ["start", "-w", "-D", this.#data, "-l", join(this.#folder, "log"), "-o", options]);
  }

  /** Stops the server. `fast` ends the work of clients gracefully; `immediate` looks like a crash to them. */
  async stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    await this.#run("pg_ctl", ["stop", "-w", "-D", this.#data, "-m", mode]);
  }

  /** Stops the server and removes its folder. */
  async close(): Promise<void> {
    if (existsSync(join(this.#data, "postmaster.pid"))) await this.stop("immediate");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  async #run(name: string, args: readonly string[]): Promise<void> {
    const user = postgresUser();
    const asUser = user && ["setpriv", `--reuid=${user.id}`, `--regid=${user.group}`, "--clear-groups"];
    const file = this.#programs === undefined ? program(name) : join(this.#programs, name);
    const [command = "", ...rest] = [...(asUser ?? []), file, ...args];
    await run(command, rest);
  }
}

/** Returns the path of a PostgreSQL program. Debian installs them outside of PATH, in one folder per version. */
function program(name: string): string {
  const top = "/usr/lib/postgresql";
  const versions = existsSync(top) ? readdirSync(top).toSorted((one, other) => Number(other) - Number(one)) : [];
  const files = versions.map((version) => join(top, version, "bin", name));
  return files.find((file) => existsSync(file)) ?? name;
}

/**
 * Returns the user as whom PostgreSQL runs if this process is root, because PostgreSQL refuses to run as root:
 * `postgres`, or `nobody` without Debian's package.
 */
function postgresUser(): { id: number; group: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const number = (flag: string, user: string): number =>
    Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  const of = (user: string) => ({ id: number("-u", user), group: number("-g", user) });
  try {
    return of("postgres");
  } catch {
    return of("nobody");
  }
}
