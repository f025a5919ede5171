import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../statistics.ts";
import { toLines } from "../table.ts";
import { StreamTrial } from "./stream-trial.ts";

/** Kilobytes of heap. */
type HeldKilobytes = { stream: number; connection: number };

const rounds = 3;

/** Server that is measured: router, agent and a provider over HTTP. */
export const heldServer = "http/router-openai.ts";

const measurements = 3;

/** Measures what an open stream holds in a server of its own, several times, and prints each time and the median. */
export async function printHeld(file: string | URL): Promise<void> {
  const rows: HeldKilobytes[] = [];
  for (let time = 0; time < measurements; time++) rows.push(await measureHeld(file));
  const more = rows.map(({ stream, connection }) => stream - connection);
  console.log(
    toLines([
      ["heap, KB", "open stream", "connection", "more"],
      ...rows.map(({ stream, connection }, time) => [
        String(time + 1),
        ...[stream, connection, stream - connection].map((kilobytes) => kilobytes.toFixed(1)),
      ]),
      ["in the middle", "", "", median(more).toFixed(1)],
    ]),
  );
}

/** Measures the memory that a server holds for an open stream, and for an idle connection. */
async function measureHeld(file: string | URL, count = 1000): Promise<HeldKilobytes> {
  const trial = await StreamTrial.start(file);
  const growth = async (open: () => Promise<unknown>): Promise<number> => {
    const before = await settledHeap(trial);
    await open();
    const grown = (await settledHeap(trial)) - before;
    await trial.cut();
    return grown / count / 1024;
  };
  try {
    // The first ones leave memory behind for good, such as compiled code.
    await growth(() => trial.open(count));
    const streams: number[] = [];
    const connections: number[] = [];
    for (let round = 0; round < rounds; round++) {
      streams.push(await growth(() => trial.open(count)));
      connections.push(await growth(() => trial.connect(count)));
    }
    return { stream: median(streams), connection: median(connections) };
  } finally {
    trial.stop();
  }
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
