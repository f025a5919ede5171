import { abortedError } from "../errors/aborted-error.ts";

/**
 * Starts the work and waits for its result, but rejects with `abortedError` as soon as the signal aborts. The work then
 * continues unobserved. If the signal is already aborted, the work is not started.
 */
export function untilAborted<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (signal === undefined) return work();
  // The promise is written by hand, because `Promise.race` costs several times as much and each run waits here often.
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(abortedError(signal.reason));
      return;
    }
    const stop = () => reject(abortedError(signal.reason));
    const forget = () => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop, { once: true });
    const working = work();
    working.then(forget, forget);
    working.then(resolve, reject);
  });
}
