import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer } from "@troupe-internal/fault-tools";
import { ask, endChild, pin, startChild } from "../child.ts";
import type { Child } from "../child.ts";
import { cpuTimeMs } from "../cpu-time.ts";
import { spreadOf } from "../statistics.ts";
import type { Spread } from "../statistics.ts";
import { machineTimeMs } from "./machine-time.ts";
import type { TimeSpan } from "./machine-time.ts";
import type { NodeSettings, NodesLoad, ReaderAnswer, ReaderOrder, WorkerAnswer, WorkerOrder } from "./nodes-orders.ts";
import { PostgresMeter } from "./postgres-meter.ts";

/** Seconds for which all runs stream before they are measured: the processes compile what they use. */
const warmUpSeconds = 10;
/** The cores of all processes, PostgreSQL included. */
const cores = "0,1";

/** Shares of a core that the processes took: 1 is one core all the time. */
type Shares = { worker: number; reader: number; postgres: number };

/** The figures of a measurement. */
export type NodesFigures = Omit<ReaderAnswer, "reads"> &
  Omit<WorkerAnswer, "writes"> & {
    /** From the beginning of the write that stores a token to its reader. */
    written: Spread;
    cpu: Shares;
    transactionsPerSecond: number;
    /** The machine's load average of the minute before. */
    loadBefore: number;
  };

/** Measures runs that one process performs and another one reads, over a PostgreSQL of their own. */
export async function measureNodes(load: NodesLoad): Promise<NodesFigures> {
  const [loadBefore = Number.NaN] = loadavg();
  // What this process starts runs on the same cores.
  await pin(process.pid, cores);
  const postgres = await PostgresServer.create();
  const children: Child[] = [];
  try {
    const settings: NodeSettings = { url: postgres.url, runs: load.runs, everyMs: 1000 / load.rate };
    const start = async (file: URL): Promise<Child> => {
      const child = await startChild(file, undefined, { BENCH_NODE: JSON.stringify(settings) });
      children.push(child);
      return child;
    };
    const worker = await start(new URL("worker-node.ts", import.meta.url));
    const reader = await start(new URL("reader-node.ts", import.meta.url));
    await ask(reader, { begin: true } satisfies ReaderOrder);
    await sleep(warmUpSeconds * 1000);
    const { span, ...taken } = await takeShares({ worker, reader, url: postgres.url }, load.seconds);
    const end = { end: span } satisfies ReaderOrder & WorkerOrder;
    const { writes, ...worked } = await ask<WorkerAnswer>(worker, end);
    const { reads, ...read } = await ask<ReaderAnswer>(reader, end);
    return { ...read, ...worked, ...taken, written: spreadBetween(writes, reads), loadBefore };
  } finally {
    await Promise.all(children.map((child) => endChild(child)));
    await postgres.close();
  }
}

type Times = readonly (readonly [key: string, atMs: number])[];

/** Returns the spread of the times from one event of a token to another. */
function spreadBetween(from: Times, to: Times): Spread {
  const ends = new Map(to);
  return spreadOf(Float64Array.from(from, ([key, atMs]) => (ends.get(key) ?? Number.NaN) - atMs));
}

type Running = { worker: Child; reader: Child; url: string };

/** Waits for the seconds of the measurement, and returns what the processes took meanwhile. */
async function takeShares({ worker, reader, url }: Running, seconds: number) {
  const meter = await PostgresMeter.open(url);
  try {
    const take = async () => ({
      atMs: machineTimeMs(),
      worker: cpuTimeMs(worker.pid),
      reader: cpuTimeMs(reader.pid),
      postgres: meter.cpuTimeMs(),
      transactions: await meter.transactions(),
    });
    const before = await take();
    await sleep(seconds * 1000);
    const after = await take();
    const span: TimeSpan = { fromMs: before.atMs, toMs: after.atMs };
    const tookMs = after.atMs - before.atMs;
    const share = (of: keyof Shares) => (after[of] - before[of]) / tookMs;
    const cpu: Shares = { worker: share("worker"), reader: share("reader"), postgres: share("postgres") };
    return { span, cpu, transactionsPerSecond: ((after.transactions - before.transactions) * 1000) / tookMs };
  } finally {
    await meter.close();
  }
}
