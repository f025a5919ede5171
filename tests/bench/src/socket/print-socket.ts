import { ask, startChild, stopChild } from "../child.ts";
import type { Child } from "../child.ts";
import { toCosts } from "../costs.ts";
import type { Cost, RoundCost } from "../costs.ts";
import { cpuTimeMs } from "../cpu-time.ts";
import { median } from "../statistics.ts";
import { toLines, withRange } from "../table.ts";
import type { SocketAnswer, SocketOrder, Transport } from "./socket-clients.ts";

/** The pace of a run: the number of its chunks, and the milliseconds before each; 0 for all at once. */
type Pace = { chunks: number; everyMs: number };

const servers = { "by hand": "socket/by-hand.ts", gateway: "socket/gateway.ts" };
const transports: readonly Transport[] = ["websocket", "polling"];
const paces: Readonly<Record<string, Pace>> = {
  "200 chunks at once": { chunks: 200, everyMs: 0 },
  "200 chunks, 2 ms apart": { chunks: 200, everyMs: 2 },
};
const sockets = 16;
const warmUpRounds = 3;
/** Chunks of a round: enough for some hundred milliseconds. */
const chunksPerRound = 48_000;

type SocketCost = Cost & { chunksPerSecond: number };

/** Measures the gateway beside the same events emitted by hand, with the client of Socket.IO, and prints the costs of a chunk. */
export async function printSocket(rounds: number): Promise<void> {
  for (const [name, pace] of Object.entries(paces)) {
    for (const transport of transports) {
      const costs = await measureSockets({ pace, transport, rounds });
      const titles = [`${name}, ${transport}`, "ratio to by hand", "CPU us per chunk", "chunks per second"];
      const rows = costs.map(({ name: server, ratio, ratioRange, cpuUs, chunksPerSecond }) => [
        server,
        withRange(ratio, ratioRange, 2),
        cpuUs.toFixed(2),
        chunksPerSecond.toFixed(0),
      ]);
      console.log(`${toLines([titles, ...rows])}\n`);
    }
  }
}

type Trial = { pace: Pace; transport: Transport; rounds: number };

/** The work of a server in one round. */
type SocketRound = RoundCost & { chunksPerSecond: number };

/** Measures both servers in processes of their own, in interleaved rounds. The first rounds warm up and are not counted. */
async function measureSockets({ pace, transport, rounds }: Trial): Promise<SocketCost[]> {
  const children: Child[] = [];
  const start = async (file: string, core: number): Promise<Child> => {
    const env = { BENCH_EVERY_MS: String(pace.everyMs), BENCH_CHUNKS: String(pace.chunks) };
    const child = await startChild(file, core, env);
    children.push(child);
    return child;
  };
  try {
    const clients = await start("socket/socket-clients.ts", 1);
    const running: [name: string, child: Child][] = [];
    for (const [name, file] of Object.entries(servers)) running.push([name, await start(file, 0)]);
    for (const [, { url }] of running) await tell(clients, { connect: sockets, url, transport });
    const order = { runs: runsOfRound(pace), transport };
    const taken: SocketRound[] = [];
    for (let round = -warmUpRounds; round < rounds; round++) {
      for (const [name, server] of running) taken.push({ name, round, ...(await takeRound(clients, server, order)) });
    }
    const counted = taken.filter(({ round }) => round >= 0);
    return toCosts(counted, "by hand").map((cost) => {
      const speeds = counted.filter(({ name }) => name === cost.name).map(({ chunksPerSecond }) => chunksPerSecond);
      return { ...cost, chunksPerSecond: median(speeds) };
    });
  } finally {
    for (const child of children) stopChild(child);
  }
}

async function takeRound(clients: Child, server: Child, order: { runs: number; transport: Transport }) {
  const before = cpuTimeMs(server.pid);
  const { chunks, ms } = await tell(clients, { ...order, url: server.url });
  return {
    cpuUsPerUnit: ((cpuTimeMs(server.pid) - before) * 1000) / chunks,
    chunksPerSecond: (chunks * 1000) / ms,
  };
}

/** Returns the runs of each socket in a round: a fourth where chunks have their pace, which takes longer. */
function runsOfRound({ chunks, everyMs }: Pace): number {
  return Math.max(1, Math.round(chunksPerRound / (everyMs > 0 ? 4 : 1) / chunks / sockets));
}

async function tell(clients: Child, order: SocketOrder): Promise<SocketAnswer> {
  return await ask<SocketAnswer>(clients, order);
}
