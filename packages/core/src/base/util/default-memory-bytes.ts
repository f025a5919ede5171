/** The assumed heap limit if the runtime reports none, as on workerd, where an isolate has this limit. */
const assumedLimit = 128 * 1024 * 1024;

/** Returns the default limit in bytes for records in memory: a quarter of the heap limit, at most 256 MB. */
export function defaultMemoryBytes({ heap_size_limit: limit } = heapStatistics()): number {
  return Math.min(Math.floor((limit || assumedLimit) / 4), 256 * 1024 * 1024);
}

/** `node:v8` is not imported statically: the import would slow the start of every program that imports core. */
function heapStatistics(): { heap_size_limit: number } {
  return process.getBuiltinModule("node:v8").getHeapStatistics();
}
