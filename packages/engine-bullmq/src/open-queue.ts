import type { Queue } from "bullmq";
import type { Backend } from "./backend.ts";
import type { EngineSettings } from "./bullmq-options.ts";
import type { FailureLog } from "./engine-failure.ts";

/** The queue of an engine, and what its workers are made with. */
export type OpenQueue = { readonly backend: Backend; readonly queue: Queue };

/** Loads BullMQ and its driver, connects, and opens the queue. Importing them before would slow down every start. */
export async function openQueue(settings: EngineSettings, log: FailureLog): Promise<OpenQueue> {
  const onError = (error: unknown) => log.warn("The connection of the engine failed.", error);
  const library = await import("bullmq");
  const { openPostgres } = await import("./open-postgres.ts");
  const { openRedis } = await import("./open-redis.ts");
  const open = settings.redis === undefined ? openPostgres : openRedis;
  const backend = await open(settings, library, onError);
  const queue = backend.makeQueue(settings.queue);
  queue.on("error", onError);
  try {
    await queue.waitUntilReady();
  } catch (error) {
    // BullMQ remembers this failure for ever: the next call opens another queue.
    void backend.end();
    throw error;
  }
  return { backend, queue };
}
