import { abortedError } from "../../base/errors/aborted-error.ts";
import { longestTimerMs, nested, optional, positiveNumber } from "../../base/errors/option-checks.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunLimits } from "./run-options.ts";

/** The default limit of a run's duration, in milliseconds. */
export const defaultDurationMs = 600_000;

/** Option check for `limits` of a runnable or of a run. */
export const runLimitsOption = nested({
  durationMs: optional(positiveNumber(longestTimerMs)),
  totalTokens: optional(positiveNumber(Number.MAX_SAFE_INTEGER)),
} satisfies OptionTable<RunLimits>);

/** The signals that end a run, its longest duration, and the function that is called with the reason for its end. */
type Limits = { signals: readonly AbortSignal[]; durationMs: number; onEnd: (reason: TroupeError) => void };

/**
 * Calls `onEnd` with the reason when a signal of the run aborts or has already aborted, or when the run's time is over.
 * Returns the function that stops the watch, with its timer and listeners.
 */
export function watchLimits({ signals, durationMs, onEnd }: Limits): () => void {
  const unlisten = signals.map((signal) => listen(signal, onEnd));
  const timer = setTimeout(() => {
    onEnd(new TroupeError("limit_exceeded", `The run took longer than its limit of ${Math.round(durationMs)} ms.`));
  }, durationMs);
  return () => {
    clearTimeout(timer);
    for (const stop of unlisten) stop();
  };
}

function listen(signal: AbortSignal, onEnd: (reason: TroupeError) => void): () => void {
  const onAbort = () => onEnd(abortedError(signal.reason));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}
