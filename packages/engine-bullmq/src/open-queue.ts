import type { Queue } from "bullmq";
import type { Backend } from "./backend.ts";
import type { EngineSettings } from "./bullmq-options.ts";
import type { FailureLog } from "./engine-failure.ts";

/** The queues of an engine, and what its workers are made with. */
export type OpenQueue = {
  readonly backend: Backend;
  readonly queue: Queue;
  /** The queue of due times, which do not wait behind the runs. */
  readonly schedules: Queue;
};

/**
 * Loads BullMQ and its driver, connects, and opens the queue, until the signal aborts. Importing them before would slow down
 * every start.
 */
export async function openQueue(
  settings: EngineSettings,
  { log, signal }: { log: FailureLog; signal: AbortSignal },
): Promise<OpenQueue> {
  const onError = (error: unknown) => log.warn("The connection of the engine failed.", error);
  const library = await import("bullmq");
  const { openPostgres } = await import("./open-postgres.ts");
  const { openRedis } = await import("./open-redis.ts");
  const open = settings.redis === undefined ? openPostgres : openRedis;
  const backend = await open(settings, library, onError);
  const end = () => void backend.end().catch(onError);
  // A client of Redis waits for its server for ever, and keeps the process alive.
  signal.addEventListener("abort", end);
  try {
    signal.throwIfAborted();
    const queue = backend.makeQueue(settings.queue);
    const schedules = backend.makeQueue(scheduleQueueOf(settings.queue));
    for (const one of [queue, schedules]) one.on("error", onError);
    await Promise.all([queue.waitUntilReady(), schedules.waitUntilReady()]);
    return { backend, queue, schedules };
  } catch (error) {
    // BullMQ remembers this failure for ever: the next call opens another queue.
    end();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** The name of the queue of due times that belongs to a queue of runs. */
export function scheduleQueueOf(queue: string): string {
  return `${queue}-schedules`;
}
