import { setTimeout as sleep } from "node:timers/promises";
import { TestChild } from "@troupe-internal/fault-tools";
import { watchSocket } from "@troupe-internal/stream-grammars";
import { io as dial } from "socket.io-client";
import type { Socket } from "socket.io-client";
import { expect, it, onTestFinished } from "vitest";
import { unixSocket } from "../test/serve-gateway.ts";

const question = { name: "a", input: "Hello?" };

type Counts = { readonly clients: number; readonly runs: number };

/** Starts a gateway in a process with a small heap. */
async function startService(path: string, { heapMb, heldMb }: { heapMb: number; heldMb: number }): Promise<TestChild> {
  const env = { ...process.env, NODE_OPTIONS: `--max-old-space-size=${heapMb}` };
  const child = await TestChild.start(new URL("../test/large-answers-service.ts", import.meta.url), {
    args: [path, String(heldMb)],
    env,
  });
  onTestFinished(() => child.close());
  await child.next((message): message is object => Object.hasOwn(Object(message), "isListening"));
  return child;
}

/** Waits until the service has no more clients than that. Each look is a sign that it lives. */
async function untilClients(child: TestChild, most: number): Promise<Counts> {
  for (;;) {
    const answered = child.next((message): message is Counts => Object.hasOwn(Object(message), "clients"));
    child.send({});
    const counts = await answered;
    if (counts.clients <= most) return counts;
    await sleep(50);
  }
}

async function connect(agent: unknown): Promise<Socket> {
  // The type of the option is that of a browser.
  const options = { transports: ["websocket"], agent: agent as string, forceNew: true, reconnection: false };
  const socket = watchSocket(dial("http://127.0.0.1:1/service", options));
  onTestFinished(() => void socket.disconnect());
  await new Promise<void>((resolve, reject) => void socket.once("connect", resolve).once("connect_error", reject));
  return socket;
}

it("a process whose heap is smaller than the answers lives through 30 clients that do not read them, and serves one that does [socket.stopped-reader]", async () => {
  const heldMb = 64;
  const { path, agent, connections } = unixSocket();
  const child = await startService(path, { heapMb: 160, heldMb });
  const stopped = await Promise.all(Array.from({ length: 30 }, () => connect(agent)));
  for (const connection of connections) connection.pause();
  for (const socket of stopped) socket.emit("agent.run", question);

  // Each that is left holds an answer of three megabytes, and waits with as much.
  const { runs } = await untilClients(child, heldMb / 3);
  const reader = await connect(agent);
  const done = new Promise<{ output: { text: string } }>((resolve) => reader.once("agent.done", resolve));
  reader.emit("agent.run", question);

  expect((await done).output.text).toHaveLength(3 * 1024 * 1024);
  expect(runs).toBeLessThanOrEqual(heldMb / 3);
});

it("a process that may hold a tenth of its answers drops none of 60 clients that read them [socket.stopped-reader]", async () => {
  const { path, agent } = unixSocket();
  await startService(path, { heapMb: 512, heldMb: 32 });
  const sockets = await Promise.all(Array.from({ length: 60 }, () => connect(agent)));

  const lengths = sockets.map(async (socket) => {
    const done = new Promise<number>((resolve, reject) => {
      socket.once("agent.done", ({ output }: { output: { text: string } }) => resolve(output.text.length));
      socket.once("disconnect", reject);
    });
    socket.emit("agent.run", question);
    return await done;
  });

  expect(await Promise.all(lengths)).toEqual(sockets.map(() => 3 * 1024 * 1024));
});
