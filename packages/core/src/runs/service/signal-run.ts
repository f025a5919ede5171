import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readInbox } from "../record/answers.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord } from "../record/run-record.ts";
import { checkSignal, putSignal } from "../record/signals.ts";
import type { SignalOptions } from "../record/signals.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { withLoggedEnd } from "../record/find-runs.ts";
import { isDue } from "../performer/run-ends.ts";
import type { ServiceParts } from "../processes/service-parts.ts";
import { writeInOrder } from "../record/run-writes.ts";

/**
 * Stores a signal to a run, and puts the run back in the queue if it waits for that signal. Returns the record to
 * submit; `null` if the run need not be submitted. A run that is about to stop for the event finds the signal itself.
 */
export async function signalRun(
  { store, now }: Pick<ServiceParts, "store" | "now">,
  record: RunRecord,
  { event, data, options }: { event: string; data: Json; options?: SignalOptions | undefined },
): Promise<RunRecord | null> {
  const signal = checkSignal(event, data, options);
  const { runId } = record;
  if (isEnded((await withLoggedEnd(store, record, now)).status)) {
    throw new TroupeError("conflict", "The run is over: it takes no more signals.");
  }
  const woken: { record: RunRecord | null } = { record: null };
  await writeInOrder("answer", {
    // A run that does not wait yet may be suspended before the signal is stored. Then the sweep finds the signal only
    // through this entry in the list of open runs.
    open: () => store.hold(record),
    answer: () => putSignal(store.storage, runId, { ...signal, at: now() }),
    wake: async () => {
      const current = await store.read(runId);
      if (current?.status !== "waiting") return;
      if (isDue(current, await readInbox(store.storage, runId), now())) woken.record = await store.wake(runId);
    },
  });
  return woken.record;
}
