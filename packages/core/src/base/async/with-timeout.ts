/** Options of `withTimeout`: the limit in milliseconds, and the result or error in place of a late one. */
export type TimeoutOptions<Late> = {
  timeoutMs: number;
  /** Called when the time is over: its value is the result, and what it throws is the error. */
  onTimeout: () => Late;
  /** As a timer's `unref` in Node: the wait does not keep the process alive. @default false */
  unref?: boolean;
};

/**
 * Waits for a promise at most `timeoutMs` milliseconds, then ends with the result or error of `onTimeout`. The work
 * behind the promise goes on; its late result or error is ignored.
 */
export async function withTimeout<Result, Late = never>(
  work: Promise<Result>,
  { timeoutMs, onTimeout, unref = false }: TimeoutOptions<Late>,
): Promise<Result | Late> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  if (unref) timer.unref();
  // First of all `work` is waited for: a lazy promise then starts at once.
  const done = work.finally(() => clearTimeout(timer));
  return await Promise.race([done, timeIsUp.then(onTimeout)]);
}
