import { createHash } from "node:crypto";
import { Workflow } from "@troupe/core";
import type { StepContext, WorkflowStep } from "@troupe/core";
import type { Facts, FormsCall } from "./forms-setup.ts";

/** The forms of steps. The name of each step begins with its form. */
export const forms = ["plain", "parallel", "forEach", "loop", "choose", "workflow", "sleep", "ask", "waitFor"] as const;

/** One of `forms`. */
export type FormName = (typeof forms)[number];

/** Makes a call of a function step, which has its effect outside. */
export type MakeCall = (call: FormsCall) => Promise<void>;

/** The steps of the workflow, and those of the workflow within it. */
export type FormSteps = { readonly outer: WorkflowStep<Facts>[]; readonly inner: WorkflowStep<Facts>[] };

/** The rounds of the loop. */
const rounds = 2;

/** Makes the steps of a workflow with all forms in each other. While it runs, most forms are under way at once. */
export function makeSteps(call: MakeCall): FormSteps {
  const plain = (name: string): WorkflowStep<Facts> => ({
    name,
    effect: "once",
    run: async (state: Facts, { idempotencyKey = "" }: StepContext) => {
      const result = { number: state.number, [name]: digest(state, name) };
      await call({ key: idempotencyKey, run: state.number, step: name, result });
      return result;
    },
  });
  const inner: WorkflowStep<Facts>[] = [
    plain("plain-inner"),
    { name: "sleep-inner", sleepMs: 300 },
    { name: "loop-inner", maxRounds: 3, until: isLast("inner"), loop: [counting("inner"), plain("plain-deep")] },
    { name: "ask-inner", ask: () => "Inside?" },
  ];
  const each: WorkflowStep<Facts>[] = [
    plain("plain-item"),
    {
      name: "choose-item",
      choose: ({ item }) => Number(item) % 3,
      cases: {
        0: [{ name: "sleep-item", sleepMs: 400 }],
        1: [{ name: "ask-item", ask: ({ item }) => `Item ${String(item)}?` }, plain("plain-asked")],
        2: [{ name: "waitFor-item", waitFor: "item", waitMs: 600_000 }],
      },
    },
    plain("plain-after"),
  ];
  const branches: WorkflowStep<Facts>[] = [
    { name: "forEach-item", forEach: ({ number }) => [number, number + 1, number + 2], concurrency: 3, steps: each },
    {
      name: "loop-round",
      maxRounds: rounds,
      until: isLast("outer"),
      loop: [
        counting("outer"),
        { name: "sleep-round", sleepMs: ({ number }) => 50 + (number % 5) * 150 },
        { name: "parallel-round", parallel: [plain("plain-left"), { name: "waitFor-round", waitFor: "round" }] },
      ],
    },
    { name: "workflow-inner", workflow: workflowOf("inner", inner), inputFrom: ({ number }) => ({ number }) },
  ];
  return { inner, outer: [plain("plain-first"), { name: "parallel-all", parallel: branches }, plain("plain-last")] };
}

/** Makes the workflow of steps. */
export function workflowOf(name: string, steps: WorkflowStep<Facts>[]): Workflow<Facts> {
  return new Workflow<Facts>({ name, initialState: { number: 0 }, steps });
}

function counting(key: string): WorkflowStep<Facts> {
  return {
    name: `plain-count-${key}`,
    effect: "pure",
    run: (state) => ({ number: state.number, [key]: Number(state[key] ?? 0) + 1 }),
  };
}

function isLast(key: string): (state: Facts) => boolean {
  return (state) => Number(state[key]) === rounds;
}

/** A text that differs for most states and steps. The order of the keys does not count. */
function digest(state: Facts, name: string): string {
  const parts = Object.keys(state)
    .toSorted()
    .map((key) => `${key}:${JSON.stringify(state[key])}`);
  return createHash("sha256").update(`${parts.join()} ${name}`).digest("hex").slice(0, 8);
}
