import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { KillPoint } from "./kill-points.ts";
import { untilStopped } from "./process-state.ts";
import { goOn } from "./kill-points.ts";

/** Options of `TestChild.start`. */
export type TestChildOptions = {
  args?: readonly string[];
  /** The whole environment of the child. @default the environment of this process */
  env?: Readonly<Record<string, string | undefined>>;
};

/** Exit code or signal of a process that ended. */
export type ChildExit = { code: number | null; signal: NodeJS.Signals | null };

/**
 * A Node process under test. It exchanges messages over IPC and can be killed or stopped at any moment or at a kill point.
 * It leads a process group of its own, which `close` ends.
 */
export class TestChild {
  /** Kill points that were reached so far. */
  readonly points: string[] = [];
  /** Messages received over IPC, without kill points. */
  readonly messages: unknown[] = [];
  /** Resolves when the process has ended and all its messages have arrived. */
  readonly exit: Promise<ChildExit>;
  readonly pid: number;
  readonly #process: ChildProcess;
  readonly #output: Buffer[] = [];
  readonly #listeners = new Set<(message: unknown) => void>();
  #onPoint: (point: string) => boolean = () => false;

  private constructor(child: ChildProcess, pid: number) {
    this.#process = child;
    this.pid = pid;
    child.stdout?.on("data", (piece: Buffer) => this.#output.push(piece));
    child.stderr?.on("data", (piece: Buffer) => this.#output.push(piece));
    child.on("message", (message) => this.#receive(message));
    // Writing to a child that has just been killed fails, which is expected.
    child.on("error", () => {});
    this.exit = endOf(child);
  }

  /** Starts a TypeScript file. The child ends when this process ends or is killed. */
  static async start(file: URL, { args = [], env }: TestChildOptions = {}): Promise<TestChild> {
    const child = fork(fileURLToPath(file), args, {
      execArgv: ["--conditions=@troupe/source", `--import=${new URL("./end-with-parent.ts", import.meta.url).href}`],
      ...(env !== undefined && { env }),
      detached: true,
      silent: true,
    });
    await once(child, "spawn");
    if (child.pid === undefined) throw new Error(`${file.href} could not be started.`);
    return new TestChild(child, child.pid);
  }

  /** Everything written to stdout and stderr. */
  get output(): Buffer {
    return Buffer.concat(this.#output);
  }

  /** Sends a message. Does nothing when the process has ended. */
  send(message: object): void {
    if (this.#process.connected) this.#process.send(message);
  }

  /** Resolves with the next message that `isIt` accepts. Rejects if the process ends first. */
  async next<Message>(isIt: (message: unknown) => message is Message): Promise<Message> {
    const received = new Promise<Message>((resolve) => {
      const listen = (message: unknown): void => {
        if (!isIt(message)) return;
        this.#listeners.delete(listen);
        resolve(message);
      };
      this.#listeners.add(listen);
    });
    return await Promise.race([received, this.#endedFirst()]);
  }

  /** Kills the process and waits for its end. Its own children survive, as after a crash. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<ChildExit> {
    this.#process.kill(signal);
    return await this.exit;
  }

  /** Kills the process after `ms` milliseconds. */
  async killAfter(ms: number): Promise<ChildExit> {
    await Promise.race([sleep(ms), this.exit]);
    return await this.kill();
  }

  /** Kills the process when it reaches the kill point for the nth time from now on. */
  async killAt(point: KillPoint, occurrence = 1): Promise<ChildExit> {
    let left = occurrence;
    this.#onPoint = (reached) => {
      if (reached === point) left -= 1;
      if (left > 0) return false;
      this.#process.kill("SIGKILL");
      return true;
    };
    return await this.exit;
  }

  /** Stops the process with SIGSTOP: its connections stay open, but it does not answer. */
  async freeze(): Promise<void> {
    this.#process.kill("SIGSTOP");
    await untilStopped(this.pid, true);
  }

  /** Continues a stopped process. */
  async thaw(): Promise<void> {
    this.#process.kill("SIGCONT");
    await untilStopped(this.pid, false);
  }

  /** Sends SIGTERM, and SIGKILL after the grace period. */
  async stop({ graceMs = 5000 }: { graceMs?: number } = {}): Promise<ChildExit> {
    this.#process.kill("SIGTERM");
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), graceMs);
    try {
      return await this.exit;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kills the process and its children. */
  async close(): Promise<void> {
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // The whole process group has already ended.
    }
    await this.exit;
    this.#process.stdout?.destroy();
    this.#process.stderr?.destroy();
  }

  async #endedFirst(): Promise<never> {
    const { code, signal } = await this.exit;
    throw new Error(
      `The process ended (${signal ?? code}) before it sent the expected message. Its output:\n${this.output.toString()}`,
    );
  }

  #receive(message: unknown): void {
    if (typeof message === "object" && message !== null && "killPoint" in message) {
      const point = String(message.killPoint);
      this.points.push(point);
      if (!this.#onPoint(point)) this.send(goOn);
      return;
    }
    this.messages.push(message);
    for (const listen of this.#listeners) listen(message);
  }
}

/** Resolves when the IPC channel has closed too: the last messages may arrive after the exit. */
async function endOf(child: ChildProcess): Promise<ChildExit> {
  const disconnected = new Promise<void>((resolve) => child.once("disconnect", () => resolve()));
  const exit = await new Promise<ChildExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  await disconnected;
  return exit;
}
