import { array, boolean, constant, constantFrom, integer, letrec, oneof, record } from "fast-check";
import type { Arbitrary } from "fast-check";
import type { Agent } from "../../agent/agent.ts";
import { getTextContent } from "../../../base/message/content.ts";
import { compareUtf8 } from "../../../base/util/compare-utf8.ts";
import { readProperty } from "../../../base/util/read-property.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";
import { agentOn } from "./agents.ts";
import { Workflow } from "../workflow.ts";
import type { StepContext, WorkflowStep } from "../workflow-step.ts";

/** A state with values that tell which steps they came from. */
export type Facts = Record<string, unknown>;

/** The plan of a step of any form; its name is derived from its position. */
export type FormPlan =
  | { form: "run"; key: string; fails: boolean }
  | { form: "agent" | "ask" | "waitFor" }
  | { form: "sleep"; ms: number }
  | GroupPlan
  | { form: "loop"; isWhile: boolean; maxRounds: number; steps: FormPlan[] }
  | { form: "choose"; hasOtherwise: boolean; steps: FormPlan[]; others: FormPlan[] }
  | { form: "forEach"; work: "steps" | "agent" | "run"; policy: "fail" | "skip" | "collect"; steps: FormPlan[] };

/** The plan of a step that performs its steps once, at most. */
export type GroupPlan = { form: "condition" | "parallel" | "workflow"; steps: FormPlan[] };

/** Generates arrays of steps, nested up to four levels. `waits`: with the steps that need a durable run. */
export function formPlans(waits: boolean): Arbitrary<FormPlan[]> {
  const leaves = ["agent", ...(waits ? (["ask", "waitFor"] as const) : [])] as const;
  const { steps } = letrec<{ steps: FormPlan[]; step: FormPlan }>((tie) => ({
    steps: array(tie("step"), { maxLength: 3 }),
    step: oneof(
      { maxDepth: 4, depthSize: "medium", withCrossShrink: true },
      record({
        form: constant("run" as const),
        key: constantFrom("a", "b", "c"),
        fails: integer({ min: 0, max: 19 }).map((roll) => roll === 0),
      }),
      record({ form: constantFrom(...leaves) }),
      // A plain run would take the time.
      record({ form: constant("sleep" as const), ms: waits ? constantFrom(0, 86_400_000) : constant(0) }),
      record({
        form: constantFrom("condition" as const, "parallel" as const, "workflow" as const),
        steps: tie("steps"),
      }),
      record({
        form: constant("loop" as const),
        isWhile: boolean(),
        maxRounds: integer({ min: 1, max: 4 }),
        steps: tie("steps"),
      }),
      record({ form: constant("choose" as const), hasOtherwise: boolean(), steps: tie("steps"), others: tie("steps") }),
      record({
        form: constant("forEach" as const),
        work: constantFrom("steps" as const, "agent" as const, "run" as const),
        policy: constantFrom("fail" as const, "skip" as const, "collect" as const),
        steps: tie("steps"),
      }),
    ),
  }));
  return steps;
}

/** Makes the workflow of a plan. `calls` gets the key of each function call, without the run's id. */
export function buildForms(plan: readonly FormPlan[], calls: string[]): Workflow<Facts> {
  const model = new ScriptedModel().respond(({ messages }) => `<${getTextContent(messages.at(-1)?.content ?? null)}>`);
  const builder = new FormBuilder(agentOn(model), calls);
  return new Workflow<Facts>({ name: "flow", initialState: {}, steps: builder.all(plan, "s") });
}

type Plan<Form extends FormPlan["form"]> = Extract<FormPlan, { form: Form }>;

class FormBuilder {
  readonly #agent: Agent;
  readonly #calls: string[];

  constructor(agent: Agent, calls: string[]) {
    this.#agent = agent;
    this.#calls = calls;
  }

  all(plans: readonly FormPlan[], prefix: string): WorkflowStep<Facts>[] {
    return plans.map((each, index) => this.#build(each, `${prefix}${index}`));
  }

  #build(plan: FormPlan, name: string): WorkflowStep<Facts> {
    switch (plan.form) {
      case "run":
        return this.#run(plan, name);
      case "agent":
        return { name, agent: this.#agent, inputFrom: (state) => String(digest(state, name)) };
      case "ask":
        return { name, ask: (state) => `q${digest(state, name)}` };
      case "waitFor":
        return { name, waitFor: name };
      case "sleep":
        return { name, sleepMs: plan.ms };
      case "loop":
        return this.#loop(plan, name);
      case "choose":
        return this.#choose(plan, name);
      case "forEach":
        return this.#forEach(plan, name);
      default:
        return this.#group(plan, name);
    }
  }

  #note({ idempotencyKey = "" }: StepContext): void {
    this.#calls.push(idempotencyKey.slice(idempotencyKey.indexOf("/") + 1));
  }

  #run({ key, fails }: Plan<"run">, name: string): WorkflowStep<Facts> {
    const run = (state: Facts, context: StepContext): Facts => {
      this.#note(context);
      if (fails) throw new Error("broken");
      return { [key]: digest(state, name) };
    };
    return { name, effect: "idempotent", run };
  }

  #group({ form, steps }: GroupPlan, name: string): WorkflowStep<Facts> {
    const nested = this.all(steps, `${name}.`);
    if (form === "condition") return { name, condition: (state) => digest(state, name) % 2 === 0, steps: nested };
    if (form === "parallel") return { name, parallel: nested };
    const inner = new Workflow<Facts>({ name: "inner", initialState: {}, steps: nested });
    return { name, workflow: inner, inputFrom: (state) => ({ from: digest(state, name) }) };
  }

  #loop({ isWhile, maxRounds, steps }: Plan<"loop">, name: string): WorkflowStep<Facts> {
    const goesOn = (state: Facts) => digest(state, name) % 3 !== 0;
    const loop = this.all(steps, `${name}.`);
    if (isWhile) return { name, loop, maxRounds, while: goesOn };
    return { name, loop, maxRounds, until: (state) => !goesOn(state) };
  }

  #choose({ steps, others, hasOtherwise }: Plan<"choose">, name: string): WorkflowStep<Facts> {
    const cases = { 0: this.all(steps, `${name}.`), 1: this.all(others, `${name}-`) };
    return { name, choose: (state) => digest(state, name) % 3, cases, ...(hasOtherwise && { otherwise: [] }) };
  }

  #forEach({ work, policy, steps }: Plan<"forEach">, name: string): WorkflowStep<Facts> {
    const forEach = (state: Facts) => itemsOf(state, name);
    // Beside each other, items would begin that a failure before them prevents in the plain evaluation.
    const items = { name, concurrency: policy === "fail" ? 1 : 2, onItemError: policy, forEach };
    if (work === "steps") return { ...items, steps: this.all(steps, `${name}.`) };
    if (work === "agent") return { ...items, agent: this.#agent, inputFrom: ({ item }) => `i${String(item)}` };
    const run = ({ item }: Facts, context: StepContext) => {
      this.#note(context);
      if (Number(item) % 5 === 4) throw new Error("broken");
      return [item];
    };
    return { ...items, effect: "idempotent", run };
  }
}

/** Returns the items of a `forEach`: none to three numbers. */
export function itemsOf(state: Facts, name: string): number[] {
  const sum = digest(state, name);
  return Array.from({ length: sum % 4 }, (_, index) => (sum + index) % 7);
}

/** A number that differs for most states and steps. */
export function digest(state: Facts, name: string): number {
  let sum = 7;
  const parts = Object.keys(state).toSorted(compareUtf8);
  for (const character of [...parts.map((key) => `${key}:${shown(state[key])}`), name].join()) {
    sum = (sum * 31 + character.charCodeAt(0)) % 1_000_003;
  }
  return sum;
}

/** Returns a value as JSON. Of an error only the code counts, because its message has the path of a step. */
export function shown(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => (key === "error" ? { code: readProperty(part, "code") } : part));
}
