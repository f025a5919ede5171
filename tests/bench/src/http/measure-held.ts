import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../statistics.ts";
import { toLines } from "../table.ts";
import { StreamTrial } from "./stream-trial.ts";

/** Kilobytes of heap of an open stream and of an idle connection, and of resident memory of an open stream. */
type HeldKilobytes = { stream: number; connection: number; rss: number };

/** Servers to measure, by name, and the number of streams that are open at once. */
export type HeldTrial = { servers: Readonly<Record<string, string | URL>>; streams: number };

const rounds = 3;
const measurements = 3;
/** Streams that a server has had before its resident memory is measured. */
const warmUpStreams = 100;

/** Server that is measured: router, agent and a provider over HTTP. */
export const heldServer = "http/router-openai.ts";

/** Baseline E, which relays by hand and ends with its clients. */
export const heldBaseline = "http/baseline-aborting.ts";

/** Measures what an open stream holds in servers of their own, in turn and several times, and prints the medians. */
export async function printHeld({ servers, streams }: HeldTrial): Promise<void> {
  const names = Object.keys(servers);
  const measured = names.map((): HeldKilobytes[] => []);
  for (let time = 0; time < measurements; time++) {
    for (const [index, name] of names.entries()) {
      measured[index]?.push(await measureHeld(servers[name] ?? "", streams));
    }
  }
  const titles = [`KB of ${streams} streams at once`, "heap, stream", "heap, connection", "heap, more", "RSS, stream"];
  const rows = names.map((name, index) => {
    const own = measured[index] ?? [];
    const more = own.map(({ stream, connection }) => stream - connection);
    const columns = [own.map((one) => one.stream), own.map((one) => one.connection), more, own.map((one) => one.rss)];
    return [name, ...columns.map((values) => median(values).toFixed(1))];
  });
  console.log(toLines([titles, ...rows]));
}

/** Measures the memory that a server holds for an open stream, and for an idle connection. */
async function measureHeld(file: string | URL, count: number): Promise<HeldKilobytes> {
  const trial = await StreamTrial.start(file);
  const growth = async (open: () => Promise<unknown>): Promise<number> => {
    const before = await settledHeap(trial);
    await open();
    const grown = (await settledHeap(trial)) - before;
    await trial.cut();
    return grown / count / 1024;
  };
  try {
    await growth(() => openAll(trial, warmUpStreams));
    // Resident memory does not shrink: only the first streams of a process show what they need.
    const before = (await trial.held()).rssBytes;
    await openAll(trial, count);
    await settledHeap(trial);
    const rss = ((await trial.held()).rssBytes - before) / count / 1024;
    await trial.cut();
    const streams: number[] = [];
    const connections: number[] = [];
    for (let round = 0; round < rounds; round++) {
      streams.push(await growth(() => openAll(trial, count)));
      connections.push(await growth(() => trial.connect(count)));
    }
    return { stream: median(streams), connection: median(connections), rss };
  } finally {
    trial.stop();
  }
}

/** Opens streams, and throws if one of them has ended. */
async function openAll(trial: StreamTrial, count: number): Promise<void> {
  const { open, lost } = await trial.open(count);
  if (open !== count) throw new Error(`Only ${open} of ${count} streams are open. The first end: ${String(lost[0])}`);
}

/** Returns the heap once it shrinks no more: cut streams are released in steps, the last of them some time later. */
async function settledHeap(trial: StreamTrial): Promise<number> {
  let heapBytes = Infinity;
  for (;;) {
    const held = await trial.held();
    if (held.heapBytes > heapBytes * 0.995) return held.heapBytes;
    heapBytes = held.heapBytes;
    await sleep(400);
  }
}
