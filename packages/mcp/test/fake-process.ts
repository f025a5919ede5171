import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { vi } from "vitest";
import { ServerProblem } from "../src/client/server-problem.ts";
import { StdioTransport } from "../src/client/stdio-transport.ts";

/** A child process that ends as a test wants, and what it was sent. */
export class FakeChild extends EventEmitter {
  readonly pid = 4711;
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();

  exit(): void {
    for (const stream of [this.stdout, this.stderr]) stream.end();
    this.emit("exit", 0);
  }
}

/** Stand for the functions of Node that start a process, and end a group of processes. */
export const spawn = vi.fn<(...given: unknown[]) => FakeChild>();
export const kill = vi.fn<(pid: number, signal?: string | number) => true>();

/** Makes a message, and the line of a message. */
export const message = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, method: "ping" });
export const line = (value: unknown) => `${JSON.stringify(value)}\n`;

/** Takes a line for a message if it is an object of JSON. */
export function parse(text: string): JSONRPCMessage {
  const value = JSON.parse(text) as JSONRPCMessage;
  if (typeof value !== "object") throw new TypeError("no message");
  return value;
}

/** A transport to a fake process, and what it told: messages, errors, the error output, and its ends. */
export async function startTransport(
  more: { maxMessageBytes?: number; env?: Record<string, string>; cwd?: string } = {},
) {
  const child = new FakeChild();
  spawn.mockImplementation(() => {
    queueMicrotask(() => child.emit("spawn"));
    return child;
  });
  const [got, errors, said] = [[] as JSONRPCMessage[], [] as string[], [] as string[]];
  const onclose = vi.fn<() => void>();
  const problem = new ServerProblem();
  const { maxMessageBytes = 1000, env = {}, cwd } = more;
  const onStderr = (text: string) => said.push(text);
  const transport = new StdioTransport({
    command: "prog",
    args: ["-a", "$B"],
    env,
    cwd,
    maxMessageBytes,
    parse,
    onStderr,
    problem,
  });
  const onmessage = (value: JSONRPCMessage) => got.push(value);
  Object.assign(transport, { onclose, onmessage, onerror: (error: Error) => errors.push(error.message) });
  await transport.start();
  const write = async (...pieces: (string | Buffer)[]) => {
    for (const piece of pieces) child.stdout.write(piece);
    for (let turns = 0; turns < 60; turns++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { child, transport, got, errors, said, onclose, problem, write };
}

/** The signals that were sent, each with its process. */
export const kills = () => kill.mock.calls.map(([pid, signal]) => `${pid} ${signal}`);
