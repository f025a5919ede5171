import { topPlace } from "../../agents/workflow/step-place.ts";
import type { PlannedStep } from "../../agents/workflow/workflow-step.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { RunEvent } from "../../runs/record/run-view.ts";

/**
 * Matches the journal keys of a workflow's steps, also within rounds and items, and of the repeated attempts at them.
 */
const stepKey = /^((?:w\/[^/]+\/\d+\/)*)w\/[^/]+(?:\/r\d+)?$/;

/** Matches the keys of repeated steps in the part of a journal key that precedes its last step. */
const repeatedKey = /w\/[^/]+(?=\/\d+\/)/g;

/**
 * Returns the keys of a workflow's state that an event of its run sets, with their values; undefined if it sets none.
 * No event sets the key of a `forEach`, because its value is known only when all items are done: the result of the run
 * contains it. Keys that the steps of an item set belong to the item.
 *
 * @param steps the workflow's `plannedSteps`
 */
export function toStateChange(
  event: RunEvent,
  steps: readonly PlannedStep[],
): Readonly<Record<string, unknown>> | undefined {
  if (event.type !== "done") return undefined;
  const [, around] = stepKey.exec(event.step) ?? [];
  if (around === undefined || isOfItem(around, steps)) return undefined;
  const change = isRecord(event.value) ? event.value["value"] : undefined;
  const partial = isRecord(change) ? change["partial"] : undefined;
  return isRecord(partial) && Object.keys(partial).length > 0 ? partial : undefined;
}

/** Returns true if the part of a journal key before a step's own part contains an item of a `forEach`. */
function isOfItem(around: string, steps: readonly PlannedStep[]): boolean {
  const items = steps.filter(({ kind }) => kind === "forEach").map(({ name }) => topPlace(name).key);
  return around.match(repeatedKey)?.some((key) => items.includes(key)) === true;
}
