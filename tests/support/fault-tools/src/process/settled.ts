import { setTimeout as sleep } from "node:timers/promises";

const pauseMs = 300;

/** Waits until a value is the same at two consecutive looks, and returns it. */
export async function settled(read: () => number): Promise<number> {
  for (let last = read(); ;) {
    await sleep(pauseMs);
    const now = read();
    if (now === last) return now;
    last = now;
  }
}
