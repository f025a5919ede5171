import { describe, expect, it } from "vitest";
import type { PlannedStep } from "../../agents/workflow/workflow-step.ts";
import type { RunEvent } from "../../runs/record/run-view.ts";
import { toStateChange } from "./public-state.ts";

const steps: readonly PlannedStep[] = [
  { name: "plan", kind: "agent" },
  { name: "again", kind: "loop" },
  { name: "each. é", kind: "forEach" },
];
const partial = { city: "Ås", none: null };
const done = (step: string, value: unknown = { value: { partial, text: "x" } }) =>
  ({ type: "done", id: "1.0", step, value, durationMs: 1 }) as RunEvent;

describe("the change of a workflow's state in an event of its run", () => {
  it.each(["w/plan", "w/plan/r1", "w/a%2Eb", "w/again/0/w/plan", "w/again/10/w/more/2/w/plan/r12"])(
    "is what the step %s has set",
    (step) => {
      expect(toStateChange(done(step), steps)).toEqual(partial);
    },
  );

  it.each([
    "",
    "m/0",
    "t/0",
    "w/plan/c0/m/0",
    "w/plan/c0/w/inner",
    "w/plan/end",
    "w/again/0",
    "w/again/0/end",
    "w/each%2E%20%C3%A9/0",
    "w/each%2E%20%C3%A9/0/w/plan",
    "w/again/1/w/each%2E%20%C3%A9/0/w/plan",
  ])("is none in the step %j, which is no step of its own or sets what belongs to an item", (step) => {
    expect(toStateChange(done(step), steps)).toBeUndefined();
  });

  it.each([
    null,
    7,
    {},
    { value: 6.5 },
    { value: [1] },
    { value: {} },
    { value: { partial: {} } },
    { value: { partial: [1] } },
    { error: { code: "internal" } },
  ])("is none in a step that ended with %j", (value) => {
    expect(toStateChange(done("w/plan", value), steps)).toBeUndefined();
  });

  it("is none in an event of another type", () => {
    const event: RunEvent = { type: "reset", id: "1.0", step: "w/plan" };
    expect(toStateChange(event, steps)).toBeUndefined();
  });
});
