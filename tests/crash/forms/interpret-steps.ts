import type { StepContext, WorkflowStep } from "@troupe/core";
import { makeSteps } from "./forms-steps.ts";
import type { Facts } from "./forms-setup.ts";

/** The answer to each question, and the data of each event. */
export const answer = "Yes, é.";

/** The last state of a run, and the names of the function steps that it calls. */
export type Interpreted = { readonly state: Facts; readonly calls: readonly string[] };

/** Evaluates the workflow for a run's number, without a workflow: one step after the other. */
export async function interpret(number: number): Promise<Interpreted> {
  const calls: string[] = [];
  const { outer, inner } = makeSteps(async ({ step }) => void calls.push(step));
  return { state: await runAll(outer, { number }, inner), calls };
}

type Steps = readonly WorkflowStep<Facts>[];

/** The steps of one form. */
type Form<Key extends string> = Extract<WorkflowStep<Facts>, Record<Key, unknown>>;

async function runAll(steps: Steps, start: Facts, inner: Steps): Promise<Facts> {
  let state = start;
  for (const step of steps) state = { ...state, ...(await changeOf(step, state, inner)) };
  return state;
}

async function changeOf(step: WorkflowStep<Facts>, state: Facts, inner: Steps): Promise<Partial<Facts>> {
  if ("forEach" in step) return { [step.name]: await runItems(step, state, inner) };
  if ("loop" in step) return await runLoop(step, state, inner);
  if ("parallel" in step) return await runParallel(step, state, inner);
  if ("choose" in step) return await runAll(step.cases[String(step.choose(state))] as Steps, state, inner);
  if ("workflow" in step) return { [step.name]: await runAll(inner, { number: state.number }, inner) };
  if ("ask" in step || "waitFor" in step) return { [step.name]: answer };
  return "run" in step ? ((await step.run(state, {} as StepContext)) ?? {}) : {};
}

async function runItems({ forEach, steps }: Form<"forEach">, state: Facts, inner: Steps): Promise<Facts[]> {
  const results: Facts[] = [];
  for (const item of forEach(state) as number[]) results.push(await runAll(steps as Steps, { ...state, item }, inner));
  return results;
}

async function runLoop({ loop, until }: Form<"loop">, start: Facts, inner: Steps): Promise<Facts> {
  let state = start;
  do state = await runAll(loop as Steps, state, inner);
  while (until?.(state) !== true);
  return state;
}

async function runParallel({ parallel }: Form<"parallel">, state: Facts, inner: Steps): Promise<Partial<Facts>> {
  const sides: Partial<Facts>[] = [];
  for (const side of parallel) sides.push(changes(state, await changeOf(side, state, inner)));
  return Object.assign({}, ...sides) as Facts;
}

/** Returns the keys whose values a step has set anew: nested steps return their whole state. */
function changes(before: Facts, after: Partial<Facts>): Partial<Facts> {
  const isNew = ([key, value]: [string, unknown]) => JSON.stringify(before[key]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(after).filter(isNew));
}
