import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { walkSteps } from "./checked-step.ts";
import { readSteps } from "./steps.ts";

const agent = new Agent({ name: "a", model: new ScriptedModel() });
const run = () => {};
const inputFrom = () => "x";
const condition = () => true;

const refusal = (message: string) => expect.objectContaining({ code: "invalid_config", message });
const nameRule = "must be a string of 1 to 128 characters that is not blank";

describe("readSteps", () => {
  it("returns the steps in their order, tagged with their kinds, without fields that are undefined", () => {
    const steps = [
      { name: "1", agent, run: undefined, inputFrom: undefined },
      { name: "2", agent, inputFrom },
      { name: "3", run, effect: undefined },
      { name: "4", run, effect: "once" },
      { name: "5", run, effect: "pure" },
      { name: "6", run, effect: "idempotent" },
      {
        name: "7",
        condition,
        steps: [
          { name: "8", run },
          { name: "9", parallel: [{ name: "10", agent }] },
        ],
      },
      { name: "11", parallel: [{ name: "12", condition, steps: [] }] },
    ];

    expect(readSteps(steps)).toStrictEqual([
      { kind: "agent", name: "1", agent },
      { kind: "agent", name: "2", agent, inputFrom },
      { kind: "function", name: "3", run },
      { kind: "function", name: "4", run, effect: "once" },
      { kind: "function", name: "5", run, effect: "pure" },
      { kind: "function", name: "6", run, effect: "idempotent" },
      {
        kind: "condition",
        name: "7",
        condition,
        steps: [
          { kind: "function", name: "8", run },
          { kind: "parallel", name: "9", steps: [{ kind: "agent", name: "10", agent }] },
        ],
      },
      { kind: "parallel", name: "11", steps: [{ kind: "condition", name: "12", condition, steps: [] }] },
    ]);
    expect(readSteps([])).toEqual([]);
  });

  it.each(["x".repeat(128), "é".repeat(64), "a b", " a ", "a/b", "constructor", "__proto__", "-", "😀".repeat(32)])(
    "takes the name %j",
    (name) => {
      expect(readSteps([{ name, run }])).toEqual([{ kind: "function", name, run }]);
    },
  );

  it.each([
    "x".repeat(129),
    "é".repeat(65),
    "€".repeat(43),
    "😀".repeat(33),
    "",
    " \t\n",
    "\ud800",
    "\udc00x",
    undefined,
    null,
    1,
    ["a"],
  ])("refuses the name %j", (name) => {
    expect(() => readSteps([{ name, run }])).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringMatching(new RegExp(`^steps\\[0\\]\\.name ${nameRule}, got `)),
      }),
    );
  });

  it.each<[string, unknown, string]>([
    [
      "no array",
      { 0: { name: "s", run } },
      "steps must be an array of steps, or a function that returns its flow, got an object.",
    ],
    ["no object", [{ name: "s", run }, null], "steps[1] must be a step (an object), got null."],
    [
      "no form",
      [{ name: "s" }],
      'steps[0] (the step "s") has no form. Expected one of agent, run, condition, parallel, loop, choose, forEach, workflow, ask, waitFor, sleepMs, sleepUntil.',
    ],
    [
      "two forms",
      [{ name: "s", parallel: [], condition }],
      'steps[0] (the step "s") has both condition and parallel. Expected one of them.',
    ],
    [
      "an unknown field",
      [{ name: "s", condition, steps: [], else: [] }],
      'Unknown field "else" in steps[0] (the step "s"). With condition, expected name, condition, steps.',
    ],
    [
      "a field of another form",
      [{ name: "s", parallel: [], effect: "once" }],
      'Unknown field "effect" in steps[0] (the step "s"). With parallel, expected name, parallel.',
    ],
    [
      "an agent beside the items of a workflow",
      [{ name: "s", workflow: {}, run }],
      'steps[0] (the step "s") has both run and workflow. Expected one of them.',
    ],
    [
      "a loop without an end",
      [{ name: "s", loop: [], maxRounds: 3 }],
      'steps[0] (the step "s") has neither while nor until. Expected one of them: a function of the state.',
    ],
    [
      "a loop with two ends",
      [{ name: "s", loop: [], maxRounds: 3, while: condition, until: condition }],
      'steps[0] (the step "s") has both while and until. Expected one of them: a function of the state.',
    ],
    [
      "a loop without a bound",
      [{ name: "s", loop: [], until: condition }],
      'steps[0] (the step "s").maxRounds must be a positive integer, got undefined.',
    ],
    [
      "no cases",
      [{ name: "s", choose: condition, cases: {} }],
      'steps[0] (the step "s").cases has no case, and there is no otherwise.',
    ],
    [
      "a case without steps",
      [{ name: "s", choose: condition, cases: { "a b": run } }],
      'steps[0] (the step "s").cases["a b"] must be an array of steps, or a function that returns its flow, got a function.',
    ],
    [
      "no work for items",
      [{ name: "s", forEach: condition }],
      'steps[0] (the step "s") has no work for its items. Expected one of steps, agent and run.',
    ],
    [
      "two kinds of work for items",
      [{ name: "s", forEach: condition, steps: [], run }],
      'steps[0] (the step "s") has both steps and run. Expected one of steps, agent and run.',
    ],
    [
      "a field of another kind of work",
      [{ name: "s", forEach: condition, steps: [], inputFrom: condition }],
      'steps[0] (the step "s") has inputFrom, which goes with agent, not with steps.',
    ],
    [
      "a wrong treatment of errors",
      [{ name: "s", forEach: condition, run, onItemError: "ignore" }],
      'steps[0] (the step "s").onItemError must be "fail", "skip" or "collect", got a string.',
    ],
    [
      "no workflow",
      [{ name: "s", workflow: { run } }],
      'steps[0] (the step "s").workflow must be a Workflow, got an object.',
    ],
    [
      "a wait without an event",
      [{ name: "s", waitFor: " " }],
      'steps[0] (the step "s").waitFor must be a string of 1 to 128 characters that is not blank, got a string.',
    ],
    [
      "an end of a wait that has no end",
      [{ name: "s", waitFor: "e", onTimeout: "continue" }],
      'steps[0] (the step "s") has onTimeout without waitMs.',
    ],
    [
      "a wrong end of a wait",
      [{ name: "s", ask: condition, waitMs: 1, onTimeout: { valeu: 1 } }],
      'steps[0] (the step "s").onTimeout must be "fail", "continue" or { value }, got an object.',
    ],
    [
      "a schema that is none",
      [{ name: "s", ask: condition, schema: "string" }],
      expect.stringMatching(/^steps\[0\] \(the step "s"\)\.schema/) as string,
    ],
    [
      "a sleep of less than nothing",
      [{ name: "s", sleepMs: -1 }],
      'steps[0] (the step "s").sleepMs must be a number of milliseconds from 0, or a function of the state that returns it, got -1.',
    ],
    [
      "a time that is none",
      [{ name: "s", sleepUntil: "tomorrow" }],
      expect.stringMatching(
        /sleepUntil must be a Date, epoch milliseconds, an ISO 8601 string, or a function/,
      ) as string,
    ],
    [
      "two times",
      [{ name: "s", sleepMs: 1, sleepUntil: 1 }],
      'steps[0] (the step "s") has both sleepMs and sleepUntil. Expected one of them.',
    ],
    [
      "a name that is the path of an item",
      [
        { name: "s", forEach: condition, steps: [{ name: "t", run }] },
        { name: "s/0/t", run },
      ],
      'The step name "s/0/t" is the path of a round or an item of "s". Rename it.',
    ],
    [
      "a name that is taken in a case",
      [{ name: "s", choose: condition, cases: { a: [{ name: "t", run }], b: [{ name: "t", run }] } }],
      'steps[0] (the step "s").cases["b"][0].name is "t", the name of another step. Step names must be unique.',
    ],
    [
      "a name that is taken",
      [
        { name: "s", condition, steps: [{ name: "t", run }] },
        { name: "t", run },
      ],
      'steps[1].name is "t", the name of another step. Step names must be unique.',
    ],
    [
      "the name of the step around it",
      [{ name: "s", parallel: [{ name: "s", run }] }],
      'steps[0] (the step "s").parallel[0].name is "s", the name of another step. Step names must be unique.',
    ],
    [
      "a run that is no function",
      [{ name: "s", run: {} }],
      'steps[0] (the step "s").run must be a function, got an object.',
    ],
    [
      "a runnable without a kind",
      [{ name: "s", agent: { run, stream: run } }],
      'steps[0] (the step "s").agent must be an agent, a team or another Runnable (of a workflow: its asRunnable()), got an object.',
    ],
    [
      "a runnable without a stream",
      [{ name: "s", agent: { run, kind: "remote" } }],
      'steps[0] (the step "s").agent must be an agent, a team or another Runnable (of a workflow: its asRunnable()), got an object.',
    ],
    [
      "a nested step that is none",
      [{ name: "s", condition, steps: [{ name: "t", parallel: ["x"] }] }],
      'steps[0] (the step "s").steps[0] (the step "t").parallel[0] must be a step (an object), got a string.',
    ],
  ])("refuses %s, with its place", (_what, steps, message) => {
    expect(() => readSteps(steps)).toThrow(refusal(message));
  });

  it("remembers no names of another call", () => {
    const steps = [{ name: "s", run }];

    expect([readSteps(steps), readSteps(steps)]).toHaveLength(2);
  });
});

describe("walkSteps", () => {
  it("yields each step before those in it, in the order in which they are written", () => {
    const steps = readSteps([
      { name: "1", run },
      {
        name: "2",
        condition,
        steps: [
          {
            name: "3",
            parallel: [
              { name: "4", agent },
              { name: "5", run },
            ],
          },
          { name: "6", run },
        ],
      },
      { name: "7", parallel: [] },
      { name: "8", agent },
    ]);

    expect([...walkSteps(steps)].map(({ name }) => name).join("")).toBe("12345678");
    expect([...walkSteps([])]).toEqual([]);
  });
});
