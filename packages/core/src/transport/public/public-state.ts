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
 * The items of a `forEach` set its key one by one: see `toItemResult`. Keys that the steps of an item set belong to the
 * item.
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

/** Matches the keys of a `forEach` and of its items, also within rounds, and of the repeated attempts at them. */
const itemKey = /^((?:w\/[^/]+\/\d+\/)*)(w\/[^/]+)(?:\/(\d+))?(?:\/r\d+)?$/;

/** The beginning of a `forEach`, without an `index`, or the result of one of its items. */
export type ItemResult = { readonly name: string; readonly index?: number; readonly value?: unknown };

/**
 * Returns the beginning of a `forEach`, or the result of one of its items, if an event contains it. No event contains the
 * result of an item of several steps. Items within items and failed items are left out: the result of the run has them.
 *
 * @param steps the workflow's `plannedSteps`
 */
export function toItemResult(event: RunEvent, steps: readonly PlannedStep[]): ItemResult | undefined {
  if (event.type !== "done") return undefined;
  const [, around, key, index] = itemKey.exec(event.step) ?? [];
  const step = steps.find(({ name, kind }) => kind === "forEach" && topPlace(name).key === key);
  if (around === undefined || step === undefined || isOfItem(around, steps)) return undefined;
  const given = isRecord(event.value) ? event.value["value"] : undefined;
  const { name } = step;
  if (index === undefined) return Array.isArray(given) ? { name } : undefined;
  return isRecord(given) ? { name, index: Number(index), value: valueOf(given, name) } : undefined;
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
