import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { readEnvironment, withTimeout } from "@troupe/core/kit";
import { largeMessage } from "./server-problem.ts";
import type { ServerProblem } from "./server-problem.ts";

/**
 * The program of an MCP server, its largest message, the parser of its lines, and the callback for its error output.
 */
export type StdioTransportInit = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly maxMessageBytes: number;
  readonly parse: (line: string) => JSONRPCMessage;
  readonly onStderr: (text: string) => void;
  /** The place to record why the transport gave up the process. */
  readonly problem: ServerProblem;
};

/**
 * The maximum number of stray lines (lines that are not messages, such as a greeting) and of their bytes that a server
 * may write before its first message. Later the limit is higher, because a program may print between messages.
 */
const mostStrayLines = 50;
const mostStrayBytes = 16_384;
const mostLaterStrayLines = 1000;
/** Lines of a server that are read before the event loop runs other work, and lines that may wait to be read. */
const linesInOneTurn = 32;
const mostWaitingLines = 256;

/** Milliseconds that a server's process has to end after each of two steps: the end of its input, and SIGTERM. */
const graceMs = 2000;
const newline = 0x0a;

/**
 * The connection to an MCP server that runs as a child process, over its standard input and output. The process starts
 * without a shell, with only `PATH`, `HOME` and the given environment. Except on Windows, it leads its own process
 * group, which ends with it.
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
  /** Lines of the server that were received but not read yet. */
  #lines: Buffer[] = [];
  #isReading = false;
  #isGivenUp = false;
  #saidClosed = false;
  #hasMessages = false;
  #strayLines = 0;
  #strayBytes = 0;
  #ending: Promise<void> | undefined;

  constructor(init: StdioTransportInit) {
    this.#init = init;
  }

  /** The process id. With `stderr`, it shows the library that this is a child process. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#init;
    // `node:child_process` is not imported, because an import would delay the start of every program that uses the
    // package.
    const child = process.getBuiltinModule("node:child_process").spawn(command, args, {
      cwd,
      env: { ...inheritedEnvironment(), ...env },
      shell: false,
      stdio: "pipe",
      windowsHide: true,
      // The server's process gets its own process group, so that its child processes end with it.
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
    const { maxMessageBytes } = this.#init;
    if (child.stdin.writableLength > maxMessageBytes) {
      this.#giveUp(`leaves more than ${maxMessageBytes} bytes unread at its standard input.`);
    }
    await new Promise<void>((resolve, reject) => {
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /**
   * Ends the server's process and its descendants: closes its input and, if it does not end, sends SIGTERM and then
   * SIGKILL.
   */
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
      // The last output of the process may not have arrived yet. This wait for it has a time limit, because a
      // descendant of the process may hold the streams open.
      await withTimeout(streamsEnd(child), { timeoutMs: 100, onTimeout: () => {} });
      killGroup(child, "SIGKILL");
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    }
    // Reads the last output of the server, which is bounded like all waiting lines.
    while (this.#lines.length > 0) this.#readLines();
    this.#pieces = [];
    this.#sayClosed();
  }

  async #ends(): Promise<boolean> {
    return await withTimeout(
      this.#exited.then(() => true),
      { timeoutMs: graceMs, onTimeout: () => false },
    );
  }

  #read(chunk: Buffer): void {
    if (this.#isGivenUp) return;
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (!this.#take(chunk.subarray(start, end))) return;
      start = end + 1;
      if (this.#size === 0) continue;
      this.#lines.push(Buffer.concat(this.#pieces));
      this.#pieces = [];
      this.#size = 0;
    }
    if (start < chunk.length && !this.#take(chunk.subarray(start))) return;
    if (this.#lines.length > mostWaitingLines) this.#child?.stdout.pause();
    if (!this.#isReading) this.#readOn();
  }

  /** Stores a piece of a line of the server. Returns false and gives up the server if the line is too long. */
  #take(piece: Buffer): boolean {
    this.#size += piece.length;
    if (this.#size > this.#init.maxMessageBytes) {
      this.#giveUp(largeMessage(this.#init.maxMessageBytes));
      return false;
    }
    this.#pieces.push(piece);
    return true;
  }

  /** Reads the server's waiting lines in portions, between which the event loop runs other work. */
  #readOn(): void {
    this.#readLines();
    this.#isReading = this.#lines.length > 0;
    if (this.#isReading) setImmediate(() => this.#readOn());
    else this.#child?.stdout.resume();
  }

  /**
   * Reads some of the server's lines. Stops after a notification, so that the library handles it before an answer that
   * arrived later.
   */
  #readLines(): void {
    for (let count = 0; count < linesInOneTurn; count++) {
      const line = this.#lines.shift();
      if (line === undefined) return;
      const message = this.#parse(line);
      if (message === undefined) continue;
      this.onmessage?.(message);
      if (isNotification(message)) return;
    }
  }

  #parse(line: Buffer): JSONRPCMessage | undefined {
    const text = line.toString("utf8");
    if (text.trim() === "") return undefined;
    try {
      const message = this.#init.parse(text);
      if (!this.#hasMessages) this.#init.problem.text = undefined;
      this.#hasMessages = true;
      this.#strayLines = this.#strayBytes = 0;
      return message;
    } catch {
      this.onerror?.(new Error("The server wrote a line that is no message to its standard output."));
      this.#countStray(line.length);
      return undefined;
    }
  }

  #countStray(bytes: number): void {
    this.#strayLines++;
    this.#strayBytes += bytes;
    // If no message ever arrives, lines that are not messages are the probable reason.
    if (!this.#hasMessages) this.#init.problem.note(strayText);
    const isTooMuch = this.#hasMessages
      ? this.#strayLines > mostLaterStrayLines
      : this.#strayLines > mostStrayLines || this.#strayBytes > mostStrayBytes;
    if (isTooMuch) this.#giveUp(strayText);
  }

  /** Ends the connection to a faulty server at once, and its process in the background. */
  #giveUp(reason: string): void {
    this.#isGivenUp = true;
    this.#lines = [];
    this.#pieces = [];
    this.onerror?.(this.#init.problem.note(reason));
    if (this.#child !== undefined) killGroup(this.#child, "SIGTERM");
    void this.close();
    this.#sayClosed();
  }

  #sayClosed(): void {
    if (this.#saidClosed) return;
    this.#saidClosed = true;
    this.onclose?.();
  }
}

const strayText =
  "wrote lines that are no JSON-RPC messages to its standard output. Let it write them to the standard error stream, and check command and args.";

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
    // Killing fails if the server's process has already ended.
  }
}
