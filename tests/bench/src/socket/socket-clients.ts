import { io } from "socket.io-client";
import type { Socket } from "socket.io-client";

/** A transport of Socket.IO. */
export type Transport = "websocket" | "polling";

/** An order of the measurement: connect sockets, run on each of those of a server, or disconnect all. */
export type SocketOrder =
  | { connect: number; url: string; transport: Transport }
  | { runs: number; url: string; transport: Transport }
  /** Begin a run on each socket, and wait for its first chunk. */
  | { begin: true }
  | { cut: true };

/** The number of connected sockets, and of a round of runs the chunks received and the milliseconds that they took. */
export type SocketAnswer = { connected: number; chunks: number; ms: number; atMs: number };

const pools = new Map<string, Socket[]>();
const input = "Tell me something.";

async function connect(url: string, transport: Transport): Promise<Socket> {
  const socket = io(`${url}/service`, { transports: [transport], forceNew: true, reconnection: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return socket;
}

/** Connects 50 at a time, so that no queue of the system overflows. */
async function connectAll({ connect: count, url, transport }: { connect: number; url: string; transport: Transport }) {
  const pool = pools.get(url + transport) ?? [];
  pools.set(url + transport, pool);
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) pool.push(await connect(url, transport));
  };
  await Promise.all(Array.from({ length: 50 }, worker));
}

/** Makes runs on a socket one after another, and returns the number of their chunks. */
async function makeRuns(socket: Socket, runs: number): Promise<number> {
  let chunks = 0;
  const count = (): void => void (chunks += 1);
  socket.on("agent.chunk", count);
  for (let run = 0; run < runs; run++) {
    const ended = new Promise<void>((resolve, reject) => {
      socket.once("agent.done", resolve);
      socket.once("agent.error", ({ error }: { error: string }) => reject(new Error(error)));
    });
    socket.emit("agent.run", { name: "bench", input });
    await ended;
    socket.off("agent.error").off("agent.done");
  }
  socket.off("agent.chunk", count);
  return chunks;
}

async function begin(socket: Socket): Promise<void> {
  const begun = new Promise((resolve) => socket.once("agent.chunk", resolve));
  socket.emit("agent.run", { name: "bench", input });
  await begun;
}

async function obey(order: SocketOrder): Promise<number> {
  const all = [...pools.values()].flat();
  if ("cut" in order) {
    for (const socket of all) socket.disconnect();
    pools.clear();
  } else if ("begin" in order) {
    await Promise.all(all.map(begin));
  } else if ("connect" in order) {
    await connectAll(order);
  } else {
    const pool = pools.get(order.url + order.transport) ?? [];
    const counts = await Promise.all(pool.map((socket) => makeRuns(socket, order.runs)));
    return counts.reduce((sum, count) => sum + count, 0);
  }
  return 0;
}

async function answer(order: SocketOrder): Promise<void> {
  const startedAt = performance.now();
  const chunks = await obey(order);
  const ms = performance.now() - startedAt;
  const connected = [...pools.values()].flat().filter((socket) => socket.connected).length;
  process.send?.({ connected, chunks, ms, atMs: Date.now() } satisfies SocketAnswer);
}

process.on("message", (order: SocketOrder) => void answer(order));
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
