import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../statistics.ts";
import { StreamTrial } from "./stream-trial.ts";

/** Kilobytes of heap. */
export type HeldKilobytes = { stream: number; connection: number };

const rounds = 3;

/** What an open stream holds in a server of ours, and what a connection does on which nothing is asked. */
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
    // What the first ones leave behind is the server's for good, like compiled code.
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

/** The heap once it shrinks no more: what was cut is let go of in steps, the last of them some time after. */
async function settledHeap(trial: StreamTrial): Promise<number> {
  let heapBytes = Infinity;
  for (;;) {
    const held = await trial.held();
    if (held.heapBytes > heapBytes * 0.995) return held.heapBytes;
    heapBytes = held.heapBytes;
    await sleep(400);
  }
}
