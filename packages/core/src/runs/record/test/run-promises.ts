// oxlint-disable complexity -- one line for each promise
import type { ModelState } from "./model-state.ts";

const has = (text: string, part: string) => text.includes(part);

/** Returns the promise that a state breaks; undefined if it keeps all. */
export function brokenIn(state: ModelState): string | undefined {
  const { log, record, open, effects, acknowledged, inbox, ends, places, threads } = state;
  if (/e./.test(log)) return "The run ended and went on.";
  if (record === "ended" && !has(log, "e")) return "The run ended in its record, and its log has no end.";
  if (effects > 1) return "The effect took place twice, and nobody was asked.";
  if (has(log, "d") && effects === 0 && !has(inbox, "q")) return "The call has a result and no effect.";
  if (record !== "absent" && record !== "ended" && !places) return "An open run is in no list.";
  if (record === "ended" && !places && !ends) return "An ended run is in no list.";
  if (record === "queued" && open === 0) return "A queued run is not among the open runs.";
  if (state.relisted) return "A process that woke the run has listed it after its end.";
  if (threads.some(({ task }) => task !== "")) return undefined;
  // Nothing happens any more unless the run is among the open runs, or a client does something.
  if (open !== 0) return undefined;
  if (record === "absent" && places) return "A run without a record is left in a list.";
  if (record === "absent" && acknowledged !== "") return "An accepted run is gone.";
  if (record === "running") return "A run that is performed is not among the open runs.";
  // A known gap: if two processes performed the run, one of them may have removed its open entry before the other died
  // between the end and the lists. The run has its end, and readers find it; only its removal after a while is missed.
  if (record === "ended" && (places || !ends) && !state.overlapped) return "An ended run is in the wrong lists.";
  const isStored = inbox.split("").some((each) => isUnread(state, each));
  if (record === "waiting" && isStored) return "A run waits, and the sweep does not find its answer.";
  const isAnswered = ["q", "w", "c"].some(
    (each) => has(acknowledged, each) && has(log + "c", each) && isUnread(state, each),
  );
  return record === "waiting" && isAnswered ? "A run waits although it has an answer." : undefined;
}

function isUnread({ log }: ModelState, answer: string): boolean {
  if (answer === "q") return !has(log, "d");
  return !has(log, "e");
}
