import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { checkAnswer, findWait, hasAnswer, putAnswer } from "../run-store/answers.ts";
import { isEnded } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import { writeInOrder } from "../states/run-transitions.ts";
import type { ServiceParts } from "../attempts/service-parts.ts";

/**
 * Stores the answer to a wait of a run, and wakes the run. Returns the record to submit; `null` if the run need not be
 * submitted: it has not stopped yet, or had this answer before.
 */
export async function answerWait(
  { store, now }: Pick<ServiceParts, "store" | "now">,
  record: RunRecord,
  { waitId, answer }: { waitId: string; answer: Json },
): Promise<RunRecord | null> {
  const { runId } = record;
  const wait = await findWait(store.storage, record, waitId);
  const isOver = isEnded(record.status);
  if (wait === undefined) {
    if (isOver) throw runIsOver();
    throw new TroupeError("not_found", `The run has no wait ${JSON.stringify(waitId.slice(0, 256))}.`);
  }
  const checked = checkAnswer(wait, answer);
  if (isOver || (wait.until !== undefined && wait.until <= now())) {
    if (await hasAnswer(store.storage, { runId, waitId }, checked)) return null;
    throw isOver ? runIsOver() : new TroupeError("conflict", "The time for this answer is over.");
  }
  const woken: { record: RunRecord | null } = { record: null };
  await writeInOrder("answer", {
    open: record.status === "waiting" ? () => store.open(record) : undefined,
    answer: () => putAnswer(store.storage, { runId, waitId }, checked),
    // A run that is about to stop for the wait finds the answer itself.
    wake: async () => (woken.record = await store.wake(runId)),
  });
  return woken.record;
}

function runIsOver(): TroupeError {
  return new TroupeError("conflict", "The run is over: it takes no more answers.");
}
