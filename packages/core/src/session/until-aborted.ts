import { abortedError } from "../errors/aborted-error.ts";

/**
 * Starts the work and waits for it, but no longer than the signal allows: storage cannot be told to stop, it can only be
 * left alone. What the work does after that is the caller's to think of.
 */
export async function untilAborted<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (signal === undefined) return await work();
  if (signal.aborted) throw abortedError(signal.reason);
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(abortedError(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
