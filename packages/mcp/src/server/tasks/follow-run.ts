import { setTimeout as sleep } from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import type { ClientTail } from "@troupe/core/transport";

/** Milliseconds between the first two looks at a run whose record follows its events, and between the last ones. */
const looks = { firstMs: 5, lastMs: 1000 };

/**
 * Yields the run that a client follows as it is, and whenever it may have come to wait, gone on or ended. Ends with the run, and
 * when the client has left.
 */
export async function* changesOf(tail: ClientTail): AsyncGenerator<RunView, void> {
  const { service, runId } = tail.run;
  const run = await service.get(runId, "host");
  yield run;
  if (run.endedAt !== undefined) return;
  try {
    yield* eventsOf(tail);
  } catch (error) {
    // Events that were too many to be kept tell nothing more.
    if (!TroupeError.is(error) || error.code !== "gone" || tail.signal.aborted) throw error;
    yield* looksAt(tail, looks.lastMs);
  }
}

async function* eventsOf(tail: ClientTail): AsyncGenerator<RunView, void> {
  const { service, runId } = tail.run;
  for (;;) {
    const paused = await tail.untilPaused();
    if (paused === undefined) return;
    if (!("status" in paused)) break;
    yield paused;
    if (paused.endedAt !== undefined) return;
    const next = await tail.next();
    if (next === undefined) return;
    if (next.type === "end") break;
    yield await service.get(runId, "host");
  }
  // The record has the end that the events have, soon.
  for await (const run of looksAt(tail, looks.firstMs)) if (run.endedAt !== undefined) yield run;
}

async function* looksAt(
  { run: { service, runId }, signal }: ClientTail,
  firstMs: number,
): AsyncGenerator<RunView, void> {
  for (let ms = firstMs; !signal.aborted; ms = Math.min(2 * ms, looks.lastMs)) {
    const run = await service.get(runId, "host");
    yield run;
    if (run.endedAt !== undefined) return;
    await sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);
  }
}
