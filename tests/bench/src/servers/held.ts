import type { Server } from "node:http";
import { GCProfiler } from "node:v8";
import { collectedHeap } from "../answer-rounds.ts";

/** Resources that a server holds: runs, connections, and bytes of memory after a collection. */
export type Held = { runs: number; connections: number; heapBytes: number; rssBytes: number };

/** An order to a server: report what it holds, or what it has worked, or begin or end to count what it allocates. */
export type HeldOrder = { held: true } | { worked: true } | { allocation: "begin" | "end" };

/** The processor time of a server since it began, in milliseconds. */
export type Worked = { workedMs: number };

/** The bytes of heap that a server has allocated between the two orders. */
export type Allocated = { allocatedBytes: number };

/** Answers orders about the memory of this process. `countRuns` returns the number of runs in progress. */
export function answerHeld(server: Server, countRuns: () => number = () => 0): void {
  const allocation = new AllocationCounter();
  process.on("message", (order: HeldOrder) => {
    if ("held" in order) void held(server, countRuns).then((answer) => process.send?.(answer));
    else if ("worked" in order) process.send?.({ workedMs: workedMs() } satisfies Worked);
    else if (order.allocation === "begin") process.send?.({ begun: allocation.begin() });
    else process.send?.({ allocatedBytes: allocation.end() } satisfies Allocated);
  });
}

function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function held(server: Server, countRuns: () => number): Promise<Held> {
  const connections = await new Promise<number>((resolve) => {
    server.getConnections((_error, count) => resolve(count));
  });
  const heapBytes = await collectedHeap();
  return { runs: countRuns(), connections, heapBytes, rssBytes: process.memoryUsage.rss() };
}

/** Counts the bytes that are allocated on the heap: its growth, and what each collection has freed. */
class AllocationCounter {
  #profiler: GCProfiler | undefined;
  #usedBytes = 0;

  begin(): true {
    this.#profiler = new GCProfiler();
    this.#profiler.start();
    this.#usedBytes = process.memoryUsage().heapUsed;
    return true;
  }

  end(): number {
    const grownBytes = process.memoryUsage().heapUsed - this.#usedBytes;
    const collections = this.#profiler?.stop()?.statistics ?? [];
    return collections.reduce((sum, { beforeGC, afterGC }) => {
      return sum + beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize;
    }, grownBytes);
  }
}
