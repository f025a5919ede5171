import { setImmediate } from "node:timers/promises";

/** What the measurement asks of a candidate: to do so many units, or to say what it holds. */
export type RoundOrder = { count: number } | { heap: true };

/** What a candidate holds after a collection. */
export type HeapAnswer = { heapBytes: number };

/** Does so many units of a candidate's work. */
export type Work = (count: number) => unknown;

/** Makes this process a candidate of `measureInProcess`. Work that throws ends the process, and with it the measurement. */
export function answerRounds(work: Work): void {
  process.on("message", (order: RoundOrder) => void answer(work, order));
  process.on("disconnect", () => process.exit());
  process.send?.({ ready: true });
}

async function answer(work: Work, order: RoundOrder): Promise<void> {
  if ("heap" in order) {
    process.send?.({ heapBytes: await collectedHeap() } satisfies HeapAnswer);
  } else {
    await work(order.count);
    process.send?.({ done: true });
  }
}

/** What the last unit left for the next turn of the event loop is done before. */
export async function collectedHeap(): Promise<number> {
  await setImmediate();
  // What one collection sets free, like what is held by weak references, the next collects.
  for (let time = 0; time < 2; time++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
