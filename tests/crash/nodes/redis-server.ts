import type { ChildProcess } from "node:child_process";
import { freePort } from "@troupe-internal/fault-tools";
import { Redis } from "ioredis";
import { findProgram } from "../../../tools/services/find-program.ts";
import { startServer, stopServer } from "../../../tools/services/own-process.ts";

/** A Redis in memory only, which can be emptied, and killed and started again at the same address. */
export class RedisServer {
  readonly port: number;
  #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  static async start(): Promise<RedisServer> {
    const port = await freePort();
    return new RedisServer(port, await run(port));
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Forgets all that is stored. */
  async flush(): Promise<void> {
    const client = new Redis(this.url);
    await client.flushall();
    client.disconnect();
  }

  /** Kills the server, and starts it again, empty. */
  async crash(): Promise<void> {
    await stopServer(this.#child, "SIGKILL");
    this.#child = await run(this.port);
  }

  async close(): Promise<void> {
    await stopServer(this.#child, "SIGKILL");
  }
}

async function run(port: number): Promise<ChildProcess> {
  const options = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "no"];
  return await startServer([findProgram("redis-server") ?? "redis-server", ...options], port);
}
