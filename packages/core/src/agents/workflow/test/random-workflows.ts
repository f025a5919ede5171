import { setImmediate as nextTurn } from "node:timers/promises";
import { array, boolean, constant, constantFrom, integer, letrec, oneof, record, tuple } from "fast-check";
import type { Arbitrary } from "fast-check";
import { getTextContent } from "../../../base/message/content.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";
import { agentOn } from "./agents.ts";
import { compareUtf8 } from "../../../base/util/compare-utf8.ts";
import { equalJson } from "../../../base/util/equal-json.ts";
import { Workflow } from "../workflow.ts";
import type { WorkflowStep } from "../workflow-step.ts";

/** A state of strings. Each value tells which steps it came from. */
export type Texts = Record<string, string>;

/** The plan of a step; its name is derived from its position. */
export type StepPlan =
  | { kind: "function"; key: string; turns: number; fails: boolean }
  | { kind: "agent"; turns: number; fails: boolean }
  | { kind: "condition"; parity: number; steps: StepPlan[] }
  | { kind: "parallel"; steps: StepPlan[] };

const keys = ["a", "b", "c", "d", "e", "f"];

/** Nested arrays of steps. */
export function stepPlans(fails: Arbitrary<boolean>): Arbitrary<StepPlan[]> {
  const turns = integer({ min: 0, max: 3 });
  const { steps } = letrec<{ steps: StepPlan[]; step: StepPlan }>((tie) => ({
    steps: array(tie("step"), { maxLength: 4 }),
    step: oneof(
      { depthSize: "small", withCrossShrink: true },
      record({ kind: constant("function" as const), key: constantFrom(...keys), turns, fails }),
      record({ kind: constant("agent" as const), turns, fails }),
      record({ kind: constant("condition" as const), parity: integer({ min: 0, max: 2 }), steps: tie("steps") }),
      record({ kind: constant("parallel" as const), steps: tie("steps") }),
    ),
  }));
  return steps;
}

export const never: Arbitrary<boolean> = constant(false);
export const sometimes: Arbitrary<boolean> = tuple(boolean(), boolean(), boolean()).map((flips) =>
  flips.every(Boolean),
);

/** The state of a completed run, or the steps that its error may name. */
export type Expected = { state: Texts } | { failing: string[] };

/** The workflow of a plan, the model of all its agents, and the expected result. */
export function buildWorkflow(plan: readonly StepPlan[]) {
  const model = new ScriptedModel().respond(({ messages }) => `<${getTextContent(messages.at(-1)?.content ?? null)}>`);
  const initialState: Texts = {};
  for (const key of keys) initialState[key] = key;
  for (const name of agentNames(plan, "s")) initialState[name] = "";
  const steps = plan.map((each, index) => build(each, `s${index}`, model));
  const flow = new Workflow<Texts>({ name: "flow", initialState, steps });
  return { flow, model, expected: expect(plan, initialState) };
}

function build(plan: StepPlan, name: string, model: ScriptedModel): WorkflowStep<Texts> {
  switch (plan.kind) {
    case "function":
      return {
        name,
        run: async (state, { signal }) => {
          for (let turn = 0; turn < plan.turns; turn++) await nextTurn(undefined, { signal });
          if (plan.fails) throw new Error("broken");
          return { [plan.key]: digest(state, name) };
        },
      };
    case "agent":
      return {
        name,
        agent: agentOn(plan.fails ? new ScriptedModel() : model),
        inputFrom: (state) => digest(state, name),
      };
    case "condition":
      return { name, condition: (state) => holds(plan, state), steps: buildAll(plan.steps, name, model) };
    default:
      return { name, parallel: buildAll(plan.steps, name, model) };
  }
}

function buildAll(plans: readonly StepPlan[], name: string, model: ScriptedModel): WorkflowStep<Texts>[] {
  return plans.map((each, index) => build(each, `${name}.${index}`, model));
}

function agentNames(plans: readonly StepPlan[], prefix: string): string[] {
  return plans.flatMap((plan, index) => {
    const name = `${prefix}${index}`;
    if (plan.kind === "agent") return [name];
    return "steps" in plan ? agentNames(plan.steps, `${name}.`) : [];
  });
}

/** Evaluates a plan without a workflow: one step after the other. */
function expect(plans: readonly StepPlan[], start: Texts): Expected {
  const { partial, failing } = evaluateAll(plans, "s", start);
  return failing.length > 0 ? { failing } : { state: { ...start, ...partial } };
}

type Evaluation = { partial: Texts; failing: string[] };

function evaluateAll(plans: readonly StepPlan[], prefix: string, start: Texts): Evaluation {
  let partial: Texts = {};
  for (const [index, plan] of plans.entries()) {
    const done = evaluate(plan, `${prefix}${index}`, { ...start, ...partial });
    if (done.failing.length > 0) return done;
    partial = { ...partial, ...done.partial };
  }
  return { partial, failing: [] };
}

function evaluate(plan: StepPlan, name: string, state: Texts): Evaluation {
  if ("fails" in plan && plan.fails) return { partial: {}, failing: [name] };
  switch (plan.kind) {
    case "function":
      return { partial: { [plan.key]: digest(state, name) }, failing: [] };
    case "agent":
      return { partial: { [name]: `<${digest(state, name)}>` }, failing: [] };
    case "condition":
      return holds(plan, state) ? evaluateAll(plan.steps, `${name}.`, state) : { partial: {}, failing: [] };
    default:
      return evaluateSideBySide(plan.steps, name, state);
  }
}

function evaluateSideBySide(plans: readonly StepPlan[], name: string, state: Texts): Evaluation {
  const sides = plans.map((plan, index) => evaluate(plan, `${name}.${index}`, state));
  const failing = sides.flatMap((side) => side.failing);
  const partial = Object.assign({}, ...sides.map((side) => side.partial)) as Texts;
  const agrees = sides.every((side) =>
    Object.entries(side.partial).every(([key, text]) => equalJson(partial[key], text)),
  );
  return { partial, failing: failing.length > 0 || agrees ? failing : [name] };
}

/** A short string that differs for every state and step. */
function digest(state: Texts, name: string): string {
  let sum = 7;
  const parts = Object.keys(state).toSorted(compareUtf8);
  for (const character of [...parts.map((key) => `${key}:${state[key]}`), name].join()) {
    sum = (sum * 31 + character.charCodeAt(0)) % 1_000_003;
  }
  return `${name}=${sum}`;
}

function holds({ parity }: Extract<StepPlan, { kind: "condition" }>, state: Texts): boolean {
  return digest(state, "").length % 3 !== parity;
}
