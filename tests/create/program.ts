import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { CommandOptions } from "../../tools/packages/run-command.ts";

/** The cost of a step in seconds: elapsed time, and processor time of its programs. */
export type Cost = { readonly elapsed: number; readonly processor: number };

/** A program with the processes that it starts, in a session of their own. */
export class Program {
  readonly #child: ChildProcess;
  readonly #title: string;
  #printed = "";
  #code: number | string | null | undefined;

  constructor(program: string, args: readonly string[], { cwd, env }: CommandOptions) {
    this.#title = [program, ...args].join(" ");
    this.#child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (bytes: Buffer) => (this.#printed += bytes.toString()));
    }
    this.#child.on("error", ({ message }) => (this.#code = message));
    this.#child.on("close", (code) => (this.#code ??= code));
  }

  /** The output so far. */
  get printed(): string {
    return this.#printed;
  }

  /** True if it has ended. */
  get hasEnded(): boolean {
    return this.#code !== undefined;
  }

  /** The processor time in seconds of its living processes and of ended ones that these waited for. */
  get processor(): number {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(readStat)
      .filter((stat) => stat?.session === this.#child.pid)
      .reduce((sum, stat) => sum + (stat?.own ?? 0) + (stat?.ended ?? 0), 0);
  }

  /** Resolves when it has ended with 0. */
  async end(): Promise<void> {
    if (!this.hasEnded) await once(this.#child, "close");
    if (this.#code !== 0) throw new Error(`"${this.#title}" ended with ${this.#code}:\n${this.#printed.slice(-3000)}`);
  }

  /** Kills all its processes. */
  async kill(): Promise<void> {
    if (this.#child.pid === undefined || this.hasEnded) return;
    process.kill(-this.#child.pid, "SIGKILL");
    await once(this.#child, "close");
  }
}

/** Measures the steps of a user, one after another. */
export class Stopwatch {
  #elapsed = performance.now();
  #processor = endedChildren();

  /** Returns the cost since the last call. A program that still runs counts with its processes. */
  lap(program?: Program): Cost {
    const now = { elapsed: performance.now(), processor: endedChildren() + (program?.processor ?? 0) };
    const cost = { elapsed: (now.elapsed - this.#elapsed) / 1000, processor: now.processor - this.#processor };
    [this.#elapsed, this.#processor] = [now.elapsed, now.processor];
    return cost;
  }
}

/** The processor time in seconds of the ended children of this process. */
const endedChildren = (): number => readStat("self")?.ended ?? 0;

const ticksPerSecond = 100;

/** Reads the session and processor times of a process. Returns `undefined` if the process does not exist. */
function readStat(process: string): { session: number; own: number; ended: number } | undefined {
  try {
    // The name before these fields may contain any characters.
    const text = readFileSync(`/proc/${process}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    const own = (user + system) / ticksPerSecond;
    return { session: fields[3] ?? 0, own, ended: (endedUser + endedSystem) / ticksPerSecond };
  } catch {
    return undefined;
  }
}
