import { setTimeout as sleep } from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import type { FoundRun, ServedStoredRun } from "@troupe/core/transport";

/** Milliseconds between two checks of a run whose record lags behind its events: the first interval and the longest. */
const looks = { firstMs: 5, lastMs: 1000 };

/**
 * Yields the record of a run, and yields it again whenever the run may have started to wait, continued or ended. Ends
 * with the run, or when its client has disconnected.
 */
export async function* changesOf({ run, view }: FoundRun): AsyncGenerator<RunView, void> {
  yield view;
  if (view.endedAt !== undefined) return;
  try {
    yield* eventsOf(run);
  } catch (error) {
    // Events that are no longer stored, because there were too many, are not needed here.
    if (!TroupeError.is(error) || error.code !== "gone" || run.signal.aborted) throw error;
    yield* looksAt(run, looks.lastMs);
  }
}

async function* eventsOf(run: ServedStoredRun): AsyncGenerator<RunView, void> {
  for (;;) {
    const paused = await run.untilPaused();
    if (paused === undefined) return;
    if (!("status" in paused)) break;
    yield paused;
    if (paused.endedAt !== undefined) return;
    const next = await run.next();
    if (next === undefined) return;
    if (next.type === "end") break;
    yield await run.view();
  }
  // A run's record shows the end soon after its events do.
  for await (const view of looksAt(run, looks.firstMs)) if (view.endedAt !== undefined) yield view;
}

async function* looksAt(run: ServedStoredRun, firstMs: number): AsyncGenerator<RunView, void> {
  const { signal } = run;
  for (let ms = firstMs; !signal.aborted; ms = Math.min(2 * ms, looks.lastMs)) {
    const view = await run.view();
    yield view;
    if (view.endedAt !== undefined) return;
    await sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);
  }
}
