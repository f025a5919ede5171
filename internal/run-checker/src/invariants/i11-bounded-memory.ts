import type { Evidence, Invariant, MemoryRecord } from "../evidence.ts";

type Sample = MemoryRecord["samples"][number];

/** I11: memory stays within its budget. */
export const boundedMemory: Invariant = {
  promise: "Memory is bounded: total, rise and slope stay within the budget.",
  needs: ["memory"],
  *breaches({ memory = [] }: Evidence) {
    for (const record of memory) {
      for (const [what, value, limit] of figures(record)) {
        if (value > limit) yield `${record.name}: ${what} is ${Math.round(value)} and may be ${limit}.`;
      }
    }
  },
};

function figures({ budget, samples }: MemoryRecord): [what: string, value: number, limit: number][] {
  const counted = samples.filter(({ requests }) => requests >= (budget.warmUpRequests ?? 0));
  return [
    ["resident memory in bytes", highest(samples, "rssBytes"), budget.rssBytes ?? Infinity],
    ["the rise of resident memory in bytes", rise(counted, "rssBytes"), budget.rssRiseBytes ?? Infinity],
    ["the rise of the heap in bytes", rise(counted, "heapBytes"), budget.heapRiseBytes ?? Infinity],
    ["the heap's slope in bytes per request", slope(counted), budget.heapBytesPerRequest ?? Infinity],
  ];
}

function highest(samples: readonly Sample[], field: "rssBytes" | "heapBytes"): number {
  return samples.reduce((most, sample) => Math.max(most, sample[field]), 0);
}

function rise(samples: readonly Sample[], field: "rssBytes" | "heapBytes"): number {
  return highest(samples, field) - (samples[0]?.[field] ?? 0);
}

/** Least squares; nothing rises where there are fewer than two points. */
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
