import type { Queue } from "bullmq";
import type { Backend } from "./backend.ts";
import type { EngineSettings } from "./bullmq-options.ts";
import type { FailureLog } from "./engine-failure.ts";

/** The queues of an engine, and the backend that makes its workers. */
export type OpenQueue = {
  readonly backend: Backend;
  readonly queue: Queue;
  /** The queue of due schedule times, which do not wait behind the runs. */
  readonly schedules: Queue;
};

/**
 * Imports BullMQ and its driver, connects, and opens the queue, until the signal aborts. The packages are imported only
 * here, because importing them earlier would slow down every start.
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
  // A Redis client waits for its server forever, and keeps the process alive.
  signal.addEventListener("abort", end);
  try {
    signal.throwIfAborted();
    const queue = backend.makeQueue(settings.queue);
    const schedules = backend.makeQueue(scheduleQueueOf(settings.queue));
    for (const one of [queue, schedules]) one.on("error", onError);
    await Promise.all([queue.waitUntilReady(), schedules.waitUntilReady()]);
    return { backend, queue, schedules };
  } catch (error) {
    // A queue of BullMQ never forgets that it could not connect, so the next call opens another queue.
    end();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Returns the name of the queue of due times that belongs to a queue of runs. */
export function scheduleQueueOf(queue: string): string {
  return `${queue}-schedules`;
}
