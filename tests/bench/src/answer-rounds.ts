import { setImmediate } from "node:timers/promises";

/** An order of the measurement to a candidate: work for a number of units, or report the heap. */
export type RoundOrder = { count: number } | { heap: true };

/** Heap of a candidate after a collection. */
export type HeapAnswer = { heapBytes: number };

/** Does a number of units of a candidate's work. */
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

/** Runs the callbacks that the last unit left to the event loop. */
export async function collectedHeap(): Promise<number> {
  await setImmediate();
  // A second collection frees what the first released, such as targets of weak references.
  for (let time = 0; time < 2; time++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
