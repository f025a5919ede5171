import { topPlace } from "../../agents/workflow/step-place.ts";
import type { PlannedStep } from "../../agents/workflow/planned-step.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { RunEvent } from "../../runs/record/run-view.ts";

/**
 * Matches the journal keys of a workflow's steps, also within rounds and items, and of the repeated attempts at them.
 */
const stepKey = /^((?:w\/[^/]+\/\d+\/)*)w\/[^/]+(?:\/r\d+)?$/;

/** Matches the keys of repeated steps in the part of a journal key that precedes its last step. */
const repeatedKey = /w\/[^/]+(?=\/\d+\/)/g;

/** Matches the keys of a `forEach` and of its items, also within rounds, and of the repeated attempts at them. */
const itemKey = /^((?:w\/[^/]+\/\d+\/)*)(w\/[^/]+)(?:\/(\d+))?(?:\/r\d+)?$/;

/**
 * A change of a workflow's state: keys with their values; or the list of a `forEach`, which begins empty and gets the
 * `value` of an item with this `index`.
 */
export type PublicStateChange =
  | { readonly keys: Readonly<Record<string, unknown>> }
  | { readonly list: string; readonly index?: number; readonly value?: unknown };

/**
 * Returns the change of a workflow's state that an event of its run contains; undefined if there is none. Keys that the
 * steps of an item set belong to the item. No event contains the result of an item of several steps. Items within items
 * and failed items are left out. The result of the run has them all.
 *
 * @param steps the workflow's `plannedSteps`
 */
export function toPublicStateChange(event: RunEvent, steps: readonly PlannedStep[]): PublicStateChange | undefined {
  if (event.type !== "done") return undefined;
  const given = isRecord(event.value) ? event.value["value"] : undefined;
  return keysIn(event.step, given, steps) ?? itemIn(event.step, given, steps);
}

function keysIn(key: string, given: unknown, steps: readonly PlannedStep[]): PublicStateChange | undefined {
  const [, around] = stepKey.exec(key) ?? [];
  if (around === undefined || isOfItem(around, steps)) return undefined;
  const keys = isRecord(given) ? given["partial"] : undefined;
  return isRecord(keys) && Object.keys(keys).length > 0 ? { keys } : undefined;
}

function itemIn(key: string, given: unknown, steps: readonly PlannedStep[]): PublicStateChange | undefined {
  const [, around, own, index] = itemKey.exec(key) ?? [];
  const step = steps.find(({ name, kind }) => kind === "forEach" && topPlace(name).key === own);
  if (around === undefined || step === undefined || isOfItem(around, steps)) return undefined;
  const { name: list } = step;
  if (index === undefined) return Array.isArray(given) ? { list } : undefined;
  return isRecord(given) ? { list, index: Number(index), value: valueOf(given, list) } : undefined;
}

/** Returns the result of an item. An agent's result is stored under the name of the step, and a function's as `item`. */
function valueOf({ partial, item = null }: Readonly<Record<string, unknown>>, name: string): unknown {
  return isRecord(partial) ? partial[name] : item;
}

/** Returns true if the part of a journal key before a step's own part contains an item of a `forEach`. */
function isOfItem(around: string, steps: readonly PlannedStep[]): boolean {
  const items = steps.filter(({ kind }) => kind === "forEach").map(({ name }) => topPlace(name).key);
  return around.match(repeatedKey)?.some((key) => items.includes(key)) === true;
}
