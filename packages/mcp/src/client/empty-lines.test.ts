import childProcess from "node:child_process";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished, vi } from "vitest";
import { ServerProblem } from "./server-problem.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Starts a transport to a process that only writes, and returns the numbers of the messages that it has read. */
async function start() {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const child = Object.assign(new EventEmitter(), streams, { pid: 4711 });
  const spawn = vi.spyOn(childProcess, "spawn").mockImplementation(() => {
    queueMicrotask(() => child.emit("spawn"));
    return child as never;
  });
  onTestFinished(() => spawn.mockRestore());
  const transport = new StdioTransport({
    command: "prog",
    args: [],
    env: {},
    cwd: undefined,
    maxMessageBytes: 1000,
    parse: (text) => JSON.parse(text) as JSONRPCMessage,
    onStderr: () => {},
    problem: new ServerProblem(),
  });
  const read: unknown[] = [];
  const onmessage = (message: JSONRPCMessage) => void read.push("id" in message && message.id);
  Object.assign(transport, { onmessage });
  await transport.start();
  return { read, stdout: streams.stdout };
}

it.each([
  ["between messages", ["1", "", "2", "3"]],
  ["before all messages", ["", "", "1", "2"]],
  ["between each of them", ["1", "", "2", "", "", "3", "", "4"]],
  ["with spaces alone", ["1", " ", "2", "\t\r", "3"]],
])("empty lines in one piece of a process's output change nothing: %s", async (_place, lines) => {
  const { read, stdout } = await start();
  const ids = lines.filter((line) => /\d/.test(line)).map(Number);
  const text = lines.map((line) =>
    /\d/.test(line) ? JSON.stringify({ jsonrpc: "2.0", id: Number(line), method: "ping" }) : line,
  );
  stdout.write(`${text.join("\n")}\n`);
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));

  expect(read).toEqual(ids);
});
