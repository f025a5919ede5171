import type { Queue } from "bullmq";
import type { Backend } from "./backend.ts";
import type { EngineSettings } from "./bullmq-options.ts";
import type { FailureLog } from "./engine-failure.ts";

/** The queue of an engine, and the backend that makes its workers. */
export type OpenQueue = { readonly backend: Backend; readonly queue: Queue };

/**
 * Imports BullMQ and its driver, connects, and opens the queue, until the signal aborts. The packages are imported only
 * here, because an earlier import would slow down every start.
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
  // Without this, a Redis client would wait for its server forever, and keep the process alive.
  signal.addEventListener("abort", end);
  try {
    signal.throwIfAborted();
    const queue = backend.makeQueue(settings.queue);
    queue.on("error", onError);
    await queue.waitUntilReady();
    return { backend, queue };
  } catch (error) {
    // A queue of BullMQ never forgets that it could not connect, so the next call opens another queue.
    end();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}
