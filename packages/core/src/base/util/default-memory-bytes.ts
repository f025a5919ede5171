import { getHeapStatistics } from "node:v8";

/** The heap limit where the runtime tells none, as in workerd, whose isolates have so much. */
const assumedLimit = 128 * 1024 * 1024;

/** Returns the bytes that records in memory may take by default: a quarter of the heap limit, at most 256 MB. */
export function defaultMemoryBytes({ heap_size_limit: limit } = getHeapStatistics()): number {
  return Math.min(Math.floor((limit || assumedLimit) / 4), 256 * 1024 * 1024);
}
