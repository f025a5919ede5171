import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../statistics.ts";
import { StreamTrial } from "./stream-trial.ts";

/** Kilobytes of heap. */
export type HeldKilobytes = { stream: number; connection: number };

const rounds = 3;

/** Memory that a server holds for an open stream, and for an idle connection. */
export async function measureHeld(file: string, count = 1000): Promise<HeldKilobytes> {
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
