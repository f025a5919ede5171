/** Options of `withTimeout`: the limit in milliseconds, and the result or error if the promise is late. */
export type TimeoutOptions<Late> = {
  timeoutMs: number;
  /** Called when the time is over. Its return value is the result; an error that it throws is the error. */
  onTimeout: () => Late;
  /** Like `unref` of a timer in Node: the wait does not keep the process alive. @default false */
  unref?: boolean;
};

/**
 * Waits for a promise for at most `timeoutMs` milliseconds, then ends with the result or error of `onTimeout`. The work
 * behind the promise continues; its late result or error is ignored.
 */
export async function withTimeout<Result, Late = never>(
  work: Promise<Result>,
  { timeoutMs, onTimeout, unref = false }: TimeoutOptions<Late>,
): Promise<Result | Late> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  if (unref) timer.unref();
  // `finally` attaches a handler to the promise at once, which also starts a lazy promise.
  const done = work.finally(() => clearTimeout(timer));
  return await Promise.race([done, timeIsUp.then(onTimeout)]);
}
