import { toPublicError } from "../../base/errors/public-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { cleanJson } from "../../base/util/clean-json.ts";
import type { CheckedStep, CheckedStepOf, StateFunction } from "./checked-step.ts";
import { createStepError } from "./retry-step.ts";
import { runConcurrently } from "./run-concurrently.ts";
import { combineChanges, joinTexts, noStateChange } from "./state-change.ts";
import type { StateChange } from "./state-change.ts";
import { copyState } from "./state-shape.ts";
import type { StateRecord } from "./state-shape.ts";
import type { Work } from "./step-attempt.ts";
import { placeAt, placeWithin } from "./step-place.ts";
import type { StepPlace } from "./step-place.ts";
import type { PlacedScope } from "./step-scope.ts";
import { scopeAfter } from "./step-scope.ts";
import { StepTraceEntry } from "./step-trace.ts";

/** One round of a loop or one item of a `forEach`: its place and kind, its scope, and its work. */
export type StepPart<Result> = {
  readonly place: StepPlace;
  readonly name: string;
  readonly kind: "round" | "item";
  readonly scope: PlacedScope;
  readonly work: (entry: StepTraceEntry) => Promise<Result>;
};

/** The runner of the steps within a repeated step. */
export interface PartRunner {
  runAll(steps: readonly CheckedStep[], scope: PlacedScope): Promise<StateChange>;
  /** Does the work of a round or an item. Adds an entry to the trace, emits events and records telemetry. */
  runPart<Result>(part: StepPart<Result>): Promise<Result>;
  /** Does the step's own work, and repeats it by the retry policy. */
  attempt<Result>(entry: StepTraceEntry, scope: PlacedScope, work: Work<Result>): Promise<Result>;
  /** Runs the steps of a round or an item. In a durable run, also stores how long they took. */
  runSteps(entry: StepTraceEntry, steps: readonly CheckedStep[], scope: PlacedScope): Promise<StateChange>;
  /** Does the work of an item that is an agent or a function. */
  runItem(step: CheckedStepOf<"forEach">, entry: StepTraceEntry, scope: PlacedScope): Promise<ItemResult>;
  /** Returns true if the run has ended or stopped, in which case the item did not cause the failure. */
  hasStopped(scope: PlacedScope): boolean;
}

/** The result of an item, and the text of its agent. */
export type ItemResult = { readonly value: unknown; readonly text?: string | undefined };

/** Runs the rounds of a loop, one after the other. Each sees the changes of the rounds before it. */
export async function runLoop(
  runner: PartRunner,
  { name, end, maxRounds, steps }: CheckedStepOf<"loop">,
  { entry, scope }: { entry: StepTraceEntry; scope: PlacedScope },
): Promise<StateChange> {
  let change = noStateChange;
  const holds = async (round: number): Promise<boolean> => {
    // The result of the condition is stored under a separate key for each round. The trace has no entry for the
    // condition.
    const place = { ...placeAt(entry.place, round), path: entry.name };
    return await checkCondition(runner, end.condition, {
      entry: new StepTraceEntry(place),
      scope: scopeAfter(scope, change),
    });
  };
  for (let round = 0; ; round++) {
    if (end.checked === "before" && !(await holds(round))) return change;
    if (round === maxRounds) throw createStepError(entry.name, tooManyRounds(maxRounds, end.checked));
    const place = placeAt(entry.place, round);
    const inner = { ...scopeAfter(scope, change), ...placeWithin(place) };
    const work = async (part: StepTraceEntry) => await runner.runSteps(part, steps, inner);
    change = combineChanges(change, await runner.runPart({ place, name, kind: "round", scope: inner, work }));
    scope.onChange(change);
    if (end.checked === "after" && (await holds(round))) return change;
  }
}

/** Checks the condition of a step, repeated by the retry policy, and stores the result in a durable run. */
export async function checkCondition(
  runner: PartRunner,
  condition: StateFunction,
  { entry, scope }: { entry: StepTraceEntry; scope: PlacedScope },
): Promise<boolean> {
  return await runner.attempt(entry, scope, async () => Boolean(await condition(copyState(scope.before.state))));
}

function tooManyRounds(maxRounds: number, checked: "before" | "after"): TroupeError {
  const left = checked === "before" ? "its condition still holds" : "its condition does not hold yet";
  return new TroupeError("limit_exceeded", `after ${maxRounds} rounds (maxRounds) ${left}.`);
}

/** Does the work of a `forEach` for each item, each with its own copy of the state. */
export async function runForEach(
  runner: PartRunner,
  step: CheckedStepOf<"forEach">,
  { entry, scope }: { entry: StepTraceEntry; scope: PlacedScope },
): Promise<StateChange> {
  const { name, concurrency, onItemError } = step;
  const items = await runner.attempt(entry, scope, async () => await readItems(step, scope.before.state));
  const runOne = async (item: unknown, index: number, signal: AbortSignal): Promise<ItemResult | undefined> => {
    const place = placeAt(entry.place, index);
    const inner = itemScope(step, item, { ...scope, ...placeWithin(place), signal });
    try {
      const work = async (part: StepTraceEntry) => await runItem(runner, step, { entry: part, scope: inner });
      return await runner.runPart({ place, name, kind: "item", scope: inner, work });
    } catch (error) {
      if (onItemError === "fail" || runner.hasStopped(inner)) throw error;
      return onItemError === "skip" ? undefined : { value: { error: toPublicError(error) } };
    }
  };
  const reasonOf = (_item: unknown, index: number) =>
    new TroupeError("cancelled", `The item ${index} of the step ${JSON.stringify(name)} failed.`);
  const done = await runConcurrently(items, { concurrency, signal: scope.signal, reasonOf }, runOne);
  const results = done.filter((result) => result !== undefined);
  return { partial: { [name]: results.map(({ value }) => value) }, ...joinTexts(results.map(({ text }) => text)) };
}

async function runItem(
  runner: PartRunner,
  step: CheckedStepOf<"forEach">,
  { entry, scope }: { entry: StepTraceEntry; scope: PlacedScope },
): Promise<ItemResult> {
  if (step.work.kind !== "steps") return await runner.runItem(step, entry, scope);
  const { partial, text } = await runner.runSteps(entry, step.steps, scope);
  return { value: { ...scope.before.state, ...partial }, text };
}

/**
 * Returns the scope of an item. The scope's copy of the state contains the item, and the first agent of the item reads
 * the item as its text.
 */
function itemScope({ as }: CheckedStepOf<"forEach">, item: unknown, scope: PlacedScope): PlacedScope {
  const message = typeof item === "string" ? item : JSON.stringify(item);
  const state = { ...scope.before.state, [as]: item };
  return { ...scope, before: { state, message }, onChange: () => undefined };
}

async function readItems({ forEach, maxItems }: CheckedStepOf<"forEach">, state: StateRecord): Promise<unknown[]> {
  const items = await forEach(copyState(state));
  if (!Array.isArray(items)) throw wrongItems("forEach must return an array");
  if (items.length > maxItems) {
    throw wrongItems(`forEach returned ${items.length} items, more than maxItems (${maxItems}). Raise maxItems`);
  }
  return cleanJson(items, (place, problem) =>
    wrongItems(`the array of forEach${place && ` at ${place}`} ${problem}`),
  ) as unknown[];
}

function wrongItems(sentence: string): TroupeError {
  return new TroupeError("invalid_value", `${sentence}.`);
}
