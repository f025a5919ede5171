import { describe, expect, it } from "vitest";
import type { PlannedStep } from "../../agents/workflow/planned-step.ts";
import type { RunEvent } from "../../runs/record/run-view.ts";
import { toPublicStateChange } from "./public-state.ts";

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
      expect(toPublicStateChange(done(step), steps)).toEqual({ keys: partial });
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
    "w/each%2E%20%C3%A9/0/w/plan",
    "w/again/1/w/each%2E%20%C3%A9/0/w/plan",
  ])("is none in the step %j, which is no step of its own or sets what belongs to an item", (step) => {
    expect(toPublicStateChange(done(step), steps)).toBeUndefined();
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
    expect(toPublicStateChange(done("w/plan", value), steps)).toBeUndefined();
  });

  it("is none in an event of another type", () => {
    const event: RunEvent = { type: "reset", id: "1.0", step: "w/plan" };
    expect(toPublicStateChange(event, steps)).toBeUndefined();
  });
});

describe("the result of an item in an event of a run", () => {
  const key = "w/each%2E%20%C3%A9";
  const name = "each. é";

  it.each(["", "/r1", "/r12"])("is told by the beginning of its forEach, and by the item itself: %j", (again) => {
    expect(toPublicStateChange(done(key + again, { value: ["x"] }), steps)).toEqual({ list: name });
    expect(toPublicStateChange(done(`${key}/10${again}`, { value: { item: 7 } }), steps)).toEqual({
      list: name,
      index: 10,
      value: 7,
    });
    const ofAgent = { value: { partial: { [name]: "é" }, text: "é" } };
    expect(toPublicStateChange(done(`w/again/2/${key}/0${again}`, ofAgent), steps)).toEqual({
      list: name,
      index: 0,
      value: "é",
    });
  });

  it("is null for a function that gives nothing", () => {
    expect(toPublicStateChange(done(`${key}/0`, { value: {} }), steps)).toEqual({ list: name, index: 0, value: null });
  });

  it.each<[step: string, value: unknown]>([
    [key, { value: 6.5 }],
    [key, { error: { code: "internal" } }],
    [`${key}/0`, { error: { code: "internal" } }],
    [`${key}/0`, { value: 20.5 }],
    [`${key}/end`, { value: 20.5 }],
    [`${key}/0/end`, { value: 20.5 }],
    [`${key}/0/w/plan`, { value: { partial: { plan: 1 } } }],
    [`${key}/0/${key}/0`, { value: { item: 1 } }],
    ["w/plan", { value: ["x"] }],
    ["w/again/0", { value: { item: 1 } }],
  ])("is told by no event of the step %s with %j", (step, value) => {
    expect(toPublicStateChange(done(step, value), steps)).toBeUndefined();
  });

  it("is told by no event of another type", () => {
    expect(toPublicStateChange({ type: "reset", id: "1.0", step: key }, steps)).toBeUndefined();
  });
});
