import { describe, expect, it } from "vitest";
import { toPublicError } from "../../base/errors/public-error.ts";
import { agentOf } from "./test/agents.ts";
import { Workflow } from "./workflow.ts";

describe("a function step", () => {
  it("returns keys of the state, and receives the state and the run context [workflow.function-step]", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { count: 1, who: "", said: "" },
      steps: [
        { name: "ask", agent: agentOf("Hello."), inputFrom: () => "Greet." },
        {
          name: "note",
          run: ({ count }, { userId = "nobody", text }) => ({ count: count + 1, who: userId, said: text }),
        },
      ],
    });

    expect((await flow.run({ userId: "u1" })).state).toEqual({ count: 2, who: "u1", said: "Hello.", ask: "Hello." });
  });

  it("changes nothing by returning undefined or by modifying its argument", async () => {
    const initialState = { list: [1], other: [1] };
    const flow = new Workflow({
      name: "flow",
      initialState,
      steps: [
        { name: "spoil", run: (state) => void state.list.push(2) },
        { name: "keep", run: ({ list }) => ({ list }) },
      ],
    });
    const { state } = await flow.run();
    state.other.push(9);

    expect((await flow.run()).state).toEqual({ list: [1], other: [1] });
    expect(initialState).toEqual({ list: [1], other: [1] });
  });

  it("does not change the state by modifying its return value later", async () => {
    const mine = { list: [1] };
    const flow = new Workflow({
      name: "flow",
      initialState: { list: [0] },
      steps: [
        { name: "give", run: () => mine },
        { name: "spoil", run: () => void mine.list.push(2) },
      ],
    });

    expect((await flow.run()).state).toEqual({ list: [1] });
  });

  it.each([
    ["a string", "text", /an object with keys of the state/],
    ["an array", [1], /an object with keys of the state/],
    ["null", null, /an object with keys of the state/],
    ["a Date", new Date(0), /is a Date, which JSON cannot hold: use its toISOString\(\)/],
    ["an instance", new URL("http://a.b"), /class instance/],
    ["a function within", { list: [() => {}] }, /at \.list\[0\] is a function/],
  ])("fails with its name when it returns %s", async (_what, returned, problem) => {
    const run = (() => returned) as unknown as () => undefined;
    const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "odd", run }] });
    const failure = flow.run();

    await expect(failure).rejects.toMatchObject({ code: "invalid_value", fields: { step: "odd" } });
    await expect(failure).rejects.toThrow(problem);
  });

  it("sets a key named __proto__ like any other", async () => {
    const returned = JSON.parse('{"__proto__":{"polluted":true}}') as object;
    const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "odd", run: () => returned }] });
    const { state } = await flow.run();

    expect(Object.keys(state)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("a condition step", () => {
  it("runs its steps when its condition holds, also when nested [workflow.condition-step]", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { n: 0 },
      steps: [
        {
          name: "outer",
          condition: ({ n }) => n === 0,
          steps: [
            { name: "one", run: () => ({ n: 1 }) },
            {
              name: "inner",
              condition: ({ n }) => n === 1,
              steps: [{ name: "two", run: ({ n }) => ({ n: n * 10 + 2 }) }],
            },
          ],
        },
        { name: "never", condition: ({ n }) => n === 0, steps: [{ name: "three", run: () => ({ n: 3 }) }] },
      ],
    });
    const { state, steps } = await flow.run();

    expect(state).toEqual({ n: 12 });
    expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "outer completed",
      "one completed",
      "inner completed",
      "two completed",
      "never skipped",
    ]);
  });

  it.each([
    ["a non-empty string", "yes", true],
    ["zero", 0, false],
    ["undefined", undefined, false],
    ["a promise of true", Promise.resolve(true), true],
    ["a promise of null", Promise.resolve(null), false],
  ])("reads %s as truthy or falsy", async (_what, value, holds) => {
    const steps = [{ name: "c", condition: () => value, steps: [{ name: "in", run: () => ({ ran: true }) }] }];
    const flow = new Workflow({ name: "flow", initialState: { ran: false }, steps });

    expect((await flow.run()).state).toEqual({ ran: holds });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("secret");
      },
      "internal",
    ],
    ["rejects", () => Promise.reject(new Error("secret")), "internal"],
  ])("fails with its name when its condition %s", async (_what, condition, code) => {
    const steps = [{ name: "odd", condition, steps: [] }];
    const flow = new Workflow({ name: "flow", initialState: {}, steps });

    const message = 'The step "odd" failed: secret';
    await expect(flow.run()).rejects.toMatchObject({ code, message, fields: { step: "odd" } });
    expect(toPublicError(await flow.run().catch((error: unknown) => error))).not.toMatchObject({ message });
  });
});

describe("a parallel step", () => {
  it("runs its steps in parallel, each with the state from before [workflow.parallel-step]", async () => {
    const [left, right] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const flow = new Workflow({
      name: "flow",
      initialState: { n: 1, left: 0, right: 0 },
      steps: [
        {
          name: "both",
          parallel: [
            {
              name: "left",
              run: async ({ n, right: other }) => {
                left.resolve();
                await right.promise;
                return { left: n + other + 1 };
              },
            },
            {
              name: "right",
              run: async ({ n, left: other }) => {
                right.resolve();
                await left.promise;
                return { right: n + other + 2 };
              },
            },
          ],
        },
      ],
    });

    expect((await flow.run()).state).toEqual({ n: 1, left: 2, right: 3 });
  });

  it("accepts equal values for one key, and fails with step and key for different ones [workflow.parallel-step]", async () => {
    const flowOf = (one: object, other: object) =>
      new Workflow({
        name: "flow",
        initialState: { key: null as object | null },
        steps: [
          {
            name: "both",
            parallel: [
              { name: "a", run: () => ({ key: one }) },
              { name: "b", run: () => ({ key: other }) },
            ],
          },
        ],
      });

    expect((await flowOf({ x: 1, y: [2] }, { y: [2], x: 1 }).run()).state).toEqual({ key: { x: 1, y: [2] } });
    const failure = flowOf({ x: 1 }, { x: 2 }).run();
    await expect(failure).rejects.toMatchObject({ code: "invalid_value", fields: { step: "both", key: "key" } });
    await expect(failure).rejects.toThrow(
      'The step "both" failed: its steps "a" and "b" set "key" to different values',
    );
  });
});
