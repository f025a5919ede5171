import { TroupeError } from "../errors/troupe-error.ts";

/**
 * A time limit started by `startDeadline`. Its signal stops the work; `end` removes timer and listener, and aborts the
 * signal.
 */
export type Deadline = { signal: AbortSignal; end(): void };

/**
 * Starts a time limit for a call. Its signal aborts with the reason of the signal `outer`, or after `ms` milliseconds
 * with a `timeout` error of this message. Call `end` when the call is over.
 */
export function startDeadline(ms: number, message: string, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(new TroupeError("timeout", message)), ms);
  if (outer?.aborted) follow();
  else outer?.addEventListener("abort", follow, { once: true });

  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", follow);
      controller.abort();
    },
  };
}
