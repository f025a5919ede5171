import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { readEnvironment, withTimeout } from "@troupe/core/adapter";

/** The program of a server, the size of its messages, and the functions that read a message and take its error output. */
export type StdioTransportInit = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly maxMessageBytes: number;
  readonly parse: (line: string) => JSONRPCMessage;
  readonly onStderr: (text: string) => void;
};

/** Milliseconds that a process gets to end after each step: the end of its input, SIGTERM, SIGKILL. */
const graceMs = 2000;
const newline = 0x0a;

/**
 * Connection to a server that runs as a child process, over its standard input and output. The process is started without
 * a shell, with `PATH`, `HOME` and the given environment alone, and leads a process group that is ended with it.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  readonly #init: StdioTransportInit;
  #child: ChildProcessWithoutNullStreams | undefined;
  #exited: Promise<void> = Promise.resolve();
  #pieces: Buffer[] = [];
  #size = 0;
  readonly #received: JSONRPCMessage[] = [];
  #ending: Promise<void> | undefined;

  constructor(init: StdioTransportInit) {
    this.#init = init;
  }

  /** The id of the process. With `stderr` it tells the library that this is a child process. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#init;
    // Not imported: that would cost every program that imports the package several milliseconds.
    const child = process.getBuiltinModule("node:child_process").spawn(command, args, {
      cwd,
      env: { ...inheritedEnvironment(), ...env },
      shell: false,
      stdio: "pipe",
      windowsHide: true,
      // A group of its own, so that what the server starts ends with it.
      detached: process.platform !== "win32",
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    this.#child = child;
    this.#listen(child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#ending !== undefined) throw new Error("The process has ended.");
    await new Promise<void>((resolve, reject) => {
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Ends the process and all that it started: closes its input, then SIGTERM, then SIGKILL. */
  async close(): Promise<void> {
    this.#ending ??= this.#end();
    await this.#ending;
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    const report = (error: Error) => this.onerror?.(error);
    child.on("error", report);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", report);
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#init.onStderr(text));
    this.#exited = new Promise((resolve) => {
      child.once("exit", () => resolve());
    });
    child.once("exit", () => void this.close());
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child !== undefined) {
      child.stdin.end();
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        if (await this.#ends()) break;
        killGroup(child, signal);
      }
      await this.#exited;
      // Its last words may still be on the way; what it started may hold its streams open.
      await withTimeout(streamsEnd(child), { timeoutMs: 100, onTimeout: () => {} });
      killGroup(child, "SIGKILL");
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    }
    this.#pieces = [];
    this.onclose?.();
  }

  async #ends(): Promise<boolean> {
    return await withTimeout(
      this.#exited.then(() => true),
      { timeoutMs: graceMs, onTimeout: () => false },
    );
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#take(chunk.subarray(start, end));
      start = end + 1;
      this.#receive(Buffer.concat(this.#pieces).toString("utf8"));
      this.#pieces = [];
      this.#size = 0;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  #take(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size <= this.#init.maxMessageBytes) {
      this.#pieces.push(piece);
      return;
    }
    this.#pieces = [];
    this.onerror?.(new Error(`The server sent a message of more than ${this.#init.maxMessageBytes} bytes.`));
    void this.close();
  }

  #receive(line: string): void {
    if (line.trim() === "" || this.#size > this.#init.maxMessageBytes) return;
    try {
      this.#received.push(this.#init.parse(line));
      if (this.#received.length === 1) this.#deliver();
    } catch {
      this.onerror?.(new Error("The server wrote a line that is no message to its standard output."));
    }
  }

  /** Passes messages on in their order. The library handles a notification later than an answer that comes with it. */
  #deliver(): void {
    for (let message = this.#received[0]; message !== undefined; message = this.#received[0]) {
      this.onmessage?.(message);
      if (isNotification(message)) {
        setImmediate(() => {
          this.#received.shift();
          this.#deliver();
        });
        return;
      }
      this.#received.shift();
    }
  }
}

function isNotification(message: JSONRPCMessage): boolean {
  return "method" in message && !("id" in message);
}

function inheritedEnvironment(): Record<string, string> {
  const inherited = ["PATH", "HOME"].map((name) => readEnvironment(name));
  return Object.fromEntries(inherited.flatMap((each) => (each === undefined ? [] : [[each.name, each.value]])));
}

async function streamsEnd({ stdout, stderr }: ChildProcessWithoutNullStreams): Promise<void> {
  await Promise.all(
    [stdout, stderr].map(async (stream) => {
      if (!stream.closed) await new Promise((resolve) => stream.once("close", resolve));
    }),
  );
}

function killGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // It has ended already.
  }
}
