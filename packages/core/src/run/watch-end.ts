import { abortedError } from "../errors/aborted-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";

/** What may end a run from outside. */
type EndWatch = { signals: readonly AbortSignal[]; durationMs: number; onEnd: (reason: TroupeError) => void };

/** Watches the signals and the time of a run; returns what ends the watch, so that no listener and no timer stays. */
export function watchEnd({ signals, durationMs, onEnd }: EndWatch): () => void {
  const links = signals.map((signal) => link(signal, onEnd));
  const timer = setTimeout(() => {
    onEnd(new TroupeError("limit_exceeded", `The run took longer than its limit of ${durationMs} ms.`));
  }, durationMs);
  return () => {
    clearTimeout(timer);
    for (const unlink of links) unlink();
  };
}

function link(signal: AbortSignal, onEnd: (reason: TroupeError) => void): () => void {
  const onAbort = () => onEnd(abortedError(signal.reason));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}
