import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { TroupeError } from "@troupe/core";
import { sleep } from "@troupe/core/kit";

/**
 * The memory of the thread that reads a document, in megabytes. A hostile file can only crash the thread, not the
 * process.
 */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 };

/**
 * The memory of a thread outside of its heap, in bytes. `resourceLimits` does not count it, and a compressed part of a
 * document may unpack to any size.
 */
const mostOutside = 256 * 2 ** 20;

const checkEveryMs = 50;

/** A thread to start: its file, the kind of document that it reads, and its time limit. */
type ThreadOptions = { readonly file: URL; readonly kind: string; readonly timeoutMs: number };

/**
 * Lets a worker thread read a document. Throws `invalid_value` with a sentence if the thread fails, takes too long or
 * needs too much memory. The bytes of the job are transferred, so the caller passes a copy.
 */
export async function askThread<Answer>(
  job: { readonly bytes: Uint8Array<ArrayBuffer> },
  { file, kind, timeoutMs }: ThreadOptions,
): Promise<Answer> {
  const worker = new Worker(file, {
    workerData: job,
    transferList: [job.bytes.buffer],
    resourceLimits,
    stdout: true,
    stderr: true,
  });
  const signal = AbortSignal.timeout(timeoutMs);
  const ended = new AbortController();
  try {
    const answered = once(worker, "message", { signal });
    const watched = watchMemory(worker, kind, ended.signal);
    // An `error` event of the thread rejects this promise.
    const [answer] = (await Promise.race([answered, exitOf(worker, kind), watched])) as [Answer];
    return answer;
  } catch (cause) {
    if (TroupeError.is(cause)) throw cause;
    if (signal.aborted) throw refusal(kind, `took longer than ${timeoutMs} ms to read (timeoutMs)`);
    const isMemory = (cause as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
    throw refusal(kind, isMemory ? "needs too much memory" : "cannot be read", cause);
  } finally {
    ended.abort();
    await worker.terminate();
  }
}

/** Throws when the thread has too much memory outside of its heap. */
async function watchMemory(worker: Worker, kind: string, ended: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(checkEveryMs, ended);
    // A thread that has ended has no statistics, and some runtimes have none.
    const statistics = await (worker as Partial<Worker>).getHeapStatistics?.().catch(() => undefined);
    if ((statistics?.external_memory ?? 0) > mostOutside) throw refusal(kind, "needs too much memory");
  }
}

async function exitOf(worker: Worker, kind: string): Promise<never> {
  await once(worker, "exit");
  throw refusal(kind, "cannot be read");
}

/**
 * Makes the error for a document that cannot be read. Its message consists of the kind of document and the problem, a
 * predicate such as `cannot be read`.
 */
export function refusal(kind: string, problem: string, cause?: unknown): TroupeError {
  return new TroupeError("invalid_value", `The ${kind} ${problem}.`, { cause });
}
