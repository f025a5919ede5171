import type { Evidence, Invariant, MemoryRecord } from "../evidence.ts";
import { riseSince } from "../probe.ts";

type Sample = MemoryRecord["samples"][number];

const longestDelayMs = 100;

/** I6: all resources are released after the load. */
export const backToBaseline: Invariant = {
  promise:
    "Resources return to their baseline within 2 s after the load: runs, sockets, tools, locks, timers, listeners, children, files.",
  needs: ["processes"],
  *violations({ processes = [] }: Evidence) {
    for (const { name, before, after } of processes) {
      for (const [resource, rise] of Object.entries(riseSince(before, after))) {
        yield `${name} holds ${rise} more of ${resource} than before.`;
      }
      const warnings = after.listenerWarnings - before.listenerWarnings;
      if (warnings > 0) yield `${name} warned ${warnings} time(s) of too many listeners.`;
    }
  },
};

/** I7: the process ends only when it is killed. */
export const staysAlive: Invariant = {
  promise: "The pid stays the same unless the fault was a kill, and nothing goes uncaught.",
  needs: ["processes"],
  *violations({ processes = [] }: Evidence) {
    for (const { name, before, after, killed = false } of processes) {
      const isSame = before.pid === after.pid;
      if (!isSame && !killed) yield `${name} died: its pid was ${before.pid} and is ${after.pid}.`;
      const uncaught = isSame ? after.uncaught - before.uncaught : after.uncaught;
      if (uncaught > 0) yield `${name} left ${uncaught} exception(s) or rejection(s) uncaught.`;
    }
  },
};

/** I12: no request blocks the event loop. */
export const responsiveLoop: Invariant = {
  promise: "The event loop's delay is below 100 ms (p99) during any single hostile request.",
  needs: ["processes"],
  *violations({ processes = [] }: Evidence) {
    for (const { name, after } of processes) {
      const delayMs = after.eventLoopDelayP99Ms;
      if (delayMs >= longestDelayMs) yield `${name} blocked its event loop for ${Math.round(delayMs)} ms (p99).`;
    }
  },
};

/** I11: memory stays within its budget. */
export const boundedMemory: Invariant = {
  promise: "Memory is bounded: total, rise and slope stay within the budget.",
  needs: ["memory"],
  *violations({ memory = [] }: Evidence) {
    for (const record of memory) {
      for (const [what, value, limit] of measures(record)) {
        if (value > limit) yield `${record.name}: ${what} is ${Math.round(value)} and the limit is ${limit}.`;
      }
    }
  },
};

function measures({ budget, samples }: MemoryRecord): [what: string, value: number, limit: number][] {
  const counted = samples.filter(({ requests }) => requests >= (budget.warmUpRequests ?? 0));
  return [
    ["resident memory in bytes", highest(samples, "rssBytes"), budget.rssBytes ?? Infinity],
    ["the rise of resident memory in bytes", riseOf(counted, "rssBytes"), budget.rssRiseBytes ?? Infinity],
    ["the rise of the heap in bytes", riseOf(counted, "heapBytes"), budget.heapRiseBytes ?? Infinity],
    ["the heap's slope in bytes per request", slope(counted), budget.heapBytesPerRequest ?? Infinity],
  ];
}

function highest(samples: readonly Sample[], field: "rssBytes" | "heapBytes"): number {
  return samples.reduce((most, sample) => Math.max(most, sample[field]), 0);
}

function riseOf(samples: readonly Sample[], field: "rssBytes" | "heapBytes"): number {
  return highest(samples, field) - (samples[0]?.[field] ?? 0);
}

/** Returns the slope of the heap by least squares, 0 with fewer than two samples. */
function slope(samples: readonly Sample[]): number {
  const x = mean(samples.map(({ requests }) => requests));
  const y = mean(samples.map(({ heapBytes }) => heapBytes));
  const width = sum(samples.map(({ requests }) => (requests - x) ** 2));
  return width === 0 ? 0 : sum(samples.map((one) => (one.requests - x) * (one.heapBytes - y))) / width;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
