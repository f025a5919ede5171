import { TroupeError } from "../errors/troupe-error.ts";

/** A signal with a time limit. `end` leaves neither a timer nor a listener, and aborts the signal once more. */
export type Deadline = { signal: AbortSignal; end(): void };

/** Starts a deadline. Its signal aborts with the reason of the outer signal, or after `ms` milliseconds with `timeout`. */
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
