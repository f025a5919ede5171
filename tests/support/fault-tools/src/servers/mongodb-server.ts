import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { untilStopped } from "../process/process-state.ts";
import { freePort } from "./free-port.ts";

const startTimeoutMs = 60_000;

/** Options of `MongodbServer.create`. */
export type MongodbServerOptions = {
  /** True to run as a standalone server instead of a replica set member. */
  standalone?: boolean;
  /** True if confirmed writes must survive a kill, at several times the cost. */
  durable?: boolean;
};

/**
 * A server that speaks MongoDB's protocol, on a free port with an empty folder: SecantusDB, which is not MongoDB but
 * has its transactions, write conflicts and error codes. It can be stopped, killed and restarted at the same address.
 */
export class MongodbServer {
  /**
   * The version of SecantusDB, and the folder of its Python environment, which is outside of the work tree so that
   * fresh clones share it.
   */
  static readonly version = "0.7.0b3";
  static readonly home = join(homedir(), ".cache", "troupe", `secantusdb-${MongodbServer.version}`);

  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "troupe-mongodb-"));
  readonly #options: MongodbServerOptions;
  #process: ChildProcess | undefined;

  private constructor(port: number, options: MongodbServerOptions) {
    this.port = port;
    this.#options = options;
  }

  /** Returns true if SecantusDB is installed on this machine. */
  static isInstalled(): boolean {
    return existsSync(program());
  }

  /** Starts a server with an empty folder. */
  static async create(options: MongodbServerOptions = {}): Promise<MongodbServer> {
    const server = new MongodbServer(await freePort(), options);
    await server.start();
    return server;
  }

  get url(): string {
    return `mongodb://127.0.0.1:${this.port}`;
  }

  /** Starts the server, also after `stop`. Resolves when it accepts connections. */
  async start(): Promise<void> {
    const where = ["--host", "127.0.0.1", "--port", String(this.port), "--storage-path", this.#folder];
    const { durable = false, standalone = false } = this.#options;
    const how = [...(durable ? ["--sync-on-commit"] : []), ...(standalone ? ["--standalone"] : [])];
    const child = spawn(program(), [...where, "--log-level", "ERROR", ...how], { stdio: ["ignore", "ignore", "pipe"] });
    this.#process = child;
    const log: Buffer[] = [];
    child.stderr.on("data", (bytes: Buffer) => log.push(bytes));
    const ended = once(child, "exit").then(() => {
      throw new Error(`The server ended before it was ready: ${Buffer.concat(log).toString().slice(-2000)}`);
    });
    await Promise.race([ended, untilListening(this.port)]);
  }

  /** Stops the server gracefully (SIGTERM) or kills it (SIGKILL). */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  /** Stops the process with SIGSTOP: its connections stay open, but it does not answer. */
  async freeze(): Promise<void> {
    await this.#signal("SIGSTOP");
  }

  /** Continues a stopped process. */
  async thaw(): Promise<void> {
    await this.#signal("SIGCONT");
  }

  /** Kills the server and removes its folder. */
  async close(): Promise<void> {
    await this.stop("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #signal(signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
    const { pid } = this.#process ?? {};
    if (pid === undefined) throw new Error("The server is not running. Call start() first.");
    process.kill(pid, signal);
    await untilStopped(pid, signal === "SIGSTOP");
  }
}

function program(): string {
  return join(MongodbServer.home, "bin", "secantusd-py");
}

async function untilListening(port: number): Promise<void> {
  const endsAt = performance.now() + startTimeoutMs;
  while (performance.now() < endsAt) {
    if (await acceptsConnections(port)) return;
    await sleep(50);
  }
  throw new Error(`Nothing listened on port ${port} within ${startTimeoutMs} ms.`);
}

async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
