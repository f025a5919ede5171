import type { DeclaredStep, ShownJson, ShownUsage } from "../../src/inspector/inspected-run.ts";
import { isObject } from "../ui/format.ts";
import { isOver } from "./run-tree.ts";
import type { UnfoldedRun, OpenStep, RunTree, TreeStep } from "./run-tree.ts";
import { inputOf, inputWithin, nameOf, outputOf, textsOf } from "./step-content.ts";
import type { Scope } from "./step-content.ts";
import { finishWait, statusOf, timesOf } from "./step-status.ts";

/** Makes the tree of a run's steps from the events that were read so far. */
export function finishTree(run: UnfoldedRun): RunTree {
  const { details, root, attempts, end } = run;
  nestDeclaredSteps(root, details.steps ?? []);
  nameMembers(root);
  const steps = finishAll(run, { input: details.input, step: root });
  return {
    steps,
    attempts,
    ...runTimesOf(run),
    usage: usageIn(end?.output) ?? sumOf(steps),
    output: end && resultIn(end.output),
    error: end?.error ?? details.run.error,
    isOver: end !== undefined || isOver(details.run),
  };
}

function runTimesOf({ details, attempts, end, clockMs }: UnfoldedRun): Pick<RunTree, "startMs" | "endMs"> {
  const { createdAt, startedAt, endedAt } = details.run;
  return { startMs: startedAt ?? attempts[0]?.at ?? createdAt, endMs: endedAt ?? (end && clockMs) };
}

/**
 * Moves the steps of a workflow into the steps in which they are declared. In the journal they are siblings. Does the
 * same within each round, item and inner workflow.
 */
function nestDeclaredSteps(container: OpenStep, declared: readonly DeclaredStep[]): void {
  const steps = container.children.filter(({ part }) => part.kind === "step");
  const byName = new Map(steps.map((step) => [step.part.name, step] as const));
  for (const each of declared) {
    const [step, outer] = [byName.get(each.name), byName.get(each.within ?? "")];
    if (step === undefined) continue;
    step.declared = each;
    if (outer === undefined || step === outer) continue;
    container.children.splice(container.children.indexOf(step), 1);
    outer.children.push(step);
  }
  for (const step of steps) nestParts(step, step.declared, declared);
}

/** Nests the steps within the rounds and items of a step, and within the workflow that it runs. */
function nestParts(step: OpenStep, own: DeclaredStep | undefined, declared: readonly DeclaredStep[]): void {
  for (const inner of step.children) {
    const { kind } = inner.part;
    if (kind === "agent") nestDeclaredSteps(inner, own?.steps ?? []);
    if (kind === "retry") nestParts(inner, own, declared);
    if (kind !== "part") continue;
    if (own !== undefined) inner.declared = own;
    nestDeclaredSteps(inner, declared);
    nestParts(inner, own, declared);
  }
}

/**
 * Names the tool calls and members at the top of a run. Their names come from the tool calls in the run's stream, in
 * the same order.
 */
function nameMembers({ children, startedCalls }: OpenStep): void {
  const placed = children.filter(({ part }) => part.index !== undefined && part.kind !== "model");
  const placeOf = ({ part: { round = 0, index = 0 } }: OpenStep): number => round * 100_000 + index;
  for (const [number, member] of placed.toSorted((one, other) => placeOf(one) - placeOf(other)).entries()) {
    const name = startedCalls[number];
    if (name !== undefined && member.startedCalls.length === 0) member.startedCalls.push(name);
  }
}

/**
 * Makes the tree steps inside a step of a run. If the step has a single child run, the steps of that run take the place
 * of the run.
 */
function finishAll(run: UnfoldedRun, scope: Scope): TreeStep[] {
  const children = inOrderOfCalls(scope.step.children);
  const isOnly = children.filter(({ part }) => part.kind === "agent").length === 1;
  return children.flatMap((step) => {
    if (step.part.kind !== "agent" || !isOnly) return [finishStep(run, scope, step)];
    return finishAll(run, { step, input: inputWithin(step, undefined) ?? scope.input });
  });
}

/**
 * Sorts the calls of a round trip in the order in which the model requested them. All other steps keep their positions.
 */
function inOrderOfCalls(steps: readonly OpenStep[]): OpenStep[] {
  const isCall = ({ part }: OpenStep) => part.index !== undefined && part.round !== undefined;
  const calls = Map.groupBy(steps.filter(isCall), ({ part }) => part.round);
  for (const each of calls.values()) each.sort((one, other) => (one.part.index ?? 0) - (other.part.index ?? 0));
  return steps.map((step) => (isCall(step) ? (calls.get(step.part.round)?.shift() ?? step) : step));
}

function finishStep(run: UnfoldedRun, scope: Scope, opened: OpenStep): TreeStep {
  if (opened.wait !== undefined) return finishWait(run, opened, opened.wait);
  const step = withTurn(opened);
  const { part, done, call, attempt } = step;
  const input = inputOf(scope, step);
  const children = finishAll(run, { step, input: inputWithin(step, input) });
  const status = statusOf(run, step, children);
  return {
    key: part.key,
    ...(part.kind === "model" && { logKey: step.logKey }),
    kind: part.kind,
    name: nameOf(scope, step),
    detail: detailOf(step),
    status,
    attempt,
    ...timesOf(step, children, status),
    usage: done?.usage ?? sumOf(children),
    input,
    output: outputOf(step),
    ...textsOf(step),
    error: done?.facts.error,
    effect: call?.effect,
    children,
  };
}

/** Adds a stored turn to a step that has a single child run: the turn of that run. */
function withTurn(step: OpenStep): OpenStep {
  if (step.turn !== undefined) return step;
  const runs = step.children.filter(({ part }) => part.kind === "agent");
  const turn = runs.length === 1 ? runs[0]?.turn : undefined;
  return turn === undefined ? step : { ...step, turn };
}

function detailOf({ part, done, declared }: OpenStep): string | undefined {
  if (part.kind === "model") return done?.facts.model;
  return part.kind === "step" ? declared?.kind : undefined;
}

/** Returns the result of a run: its structured output, its text, or the state of a workflow. */
function resultIn(output: ShownJson): ShownJson {
  if (!isObject(output)) return output;
  const { text, structured, state } = output;
  return structured ?? (text === undefined || text === "" ? (state ?? text ?? output) : text);
}

function usageIn(output: ShownJson | undefined): ShownUsage | undefined {
  const usage = isObject(output) ? output["usage"] : undefined;
  return isObject(usage) && typeof usage["totalTokens"] === "number" ? (usage as unknown as ShownUsage) : undefined;
}

function sumOf(steps: readonly TreeStep[]): ShownUsage | undefined {
  const usages = steps.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  if (usages.length === 0) return undefined;
  return usages.reduce((sum, { promptTokens, completionTokens, totalTokens }) => ({
    promptTokens: sum.promptTokens + promptTokens,
    completionTokens: sum.completionTokens + completionTokens,
    totalTokens: sum.totalTokens + totalTokens,
  }));
}
