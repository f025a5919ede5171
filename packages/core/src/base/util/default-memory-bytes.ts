import { getHeapStatistics } from "node:v8";

/** Returns the bytes that records in memory may take by default: a quarter of the heap limit, at most 256 MB. */
export function defaultMemoryBytes(): number {
  return Math.min(Math.floor(getHeapStatistics().heap_size_limit / 4), 256 * 1024 * 1024);
}
