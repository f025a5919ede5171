import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { KillPoint } from "./kill-points.ts";
import { untilStopped } from "./process-state.ts";
import { goOn } from "./report-to-parent.ts";

/** What a child is started with beside its file. */
export type TestChildOptions = {
  args?: readonly string[];
  /** Its whole environment. @default this process's */
  env?: Readonly<Record<string, string | undefined>>;
};

/** How a process ended: by itself with a code, or by a signal. */
export type ChildExit = { code: number | null; signal: NodeJS.Signals | null };

/**
 * A Node process under test that speaks over IPC, can be killed or stopped at any moment or at a kill point, and leaves
 * nothing behind: it leads a process group of its own, and `close` ends all of it.
 */
export class TestChild {
  /** The kill points it has reached so far. */
  readonly points: string[] = [];
  /** What it has said over IPC, kill points aside. */
  readonly messages: unknown[] = [];
  /** Resolves when it is gone and everything that it said has arrived. */
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
    // A write to a child that has just been killed is no failure.
    child.on("error", () => {});
    this.exit = goneFrom(child);
  }

  /** Starts a file of sources as it stands. It ends when this process does, however that comes about. */
  static async start(file: URL, { args = [], env }: TestChildOptions = {}): Promise<TestChild> {
    const child = fork(fileURLToPath(file), args, {
      execArgv: ["--conditions=@troupe/source", `--import=${new URL("./end-with-parent.ts", import.meta.url).href}`],
      ...(env !== undefined && { env }),
      detached: true,
      silent: true,
    });
    await once(child, "spawn");
    if (child.pid === undefined) throw new Error(`${file.href} was not started.`);
    return new TestChild(child, child.pid);
  }

  /** What it has written to its output and error streams. */
  get output(): Buffer {
    return Buffer.concat(this.#output);
  }

  /** Says something to it; to one that is gone nothing is said. */
  send(message: object): void {
    if (this.#process.connected) this.#process.send(message);
  }

  /** The first message from now on that is one of these; rejects when the child goes without it. */
  async next<Message>(isIt: (message: unknown) => message is Message): Promise<Message> {
    const said = new Promise<Message>((resolve) => {
      const listen = (message: unknown): void => {
        if (!isIt(message)) return;
        this.#listeners.delete(listen);
        resolve(message);
      };
      this.#listeners.add(listen);
    });
    return await Promise.race([said, this.#goneSilently()]);
  }

  /** Kills it, and waits until it is gone. What it started lives on, as after a crash. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<ChildExit> {
    this.#process.kill(signal);
    return await this.exit;
  }

  /** Kills it after so many milliseconds, whatever it is doing then. */
  async killAfter(ms: number): Promise<ChildExit> {
    await Promise.race([sleep(ms), this.exit]);
    return await this.kill();
  }

  /** Kills it exactly where it is when it reaches the point for the n-th time from now on. */
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

  /** Stops it where it is; its connections stay open and nothing answers. */
  async freeze(): Promise<void> {
    this.#process.kill("SIGSTOP");
    await untilStopped(this.pid, true);
  }

  /** Lets a stopped one go on. */
  async thaw(): Promise<void> {
    this.#process.kill("SIGCONT");
    await untilStopped(this.pid, false);
  }

  /** Asks it to end, and kills it when it has not within the time. */
  async stop({ graceMs = 5000 }: { graceMs?: number } = {}): Promise<ChildExit> {
    this.#process.kill("SIGTERM");
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), graceMs);
    try {
      return await this.exit;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it and everything that it started. */
  async close(): Promise<void> {
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // Nobody of the group is left.
    }
    await this.exit;
    this.#process.stdout?.destroy();
    this.#process.stderr?.destroy();
  }

  async #goneSilently(): Promise<never> {
    const { code, signal } = await this.exit;
    throw new Error(`The process ended (${signal ?? code}) before it said that:\n${this.output.toString()}`);
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

/** The channel ends behind the last message, and the process may be gone before that. */
async function goneFrom(child: ChildProcess): Promise<ChildExit> {
  const disconnected = new Promise<void>((resolve) => child.once("disconnect", () => resolve()));
  const exit = await new Promise<ChildExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  await disconnected;
  return exit;
}
