import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { getTextContent } from "../../base/message/content.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { agentOn, asked } from "./test/agents.ts";
import { failureOf } from "./test/failures.ts";
import type { WorkflowStep } from "./workflow-step.ts";
import { Workflow } from "./workflow.ts";

type State = { n: number; list: unknown[]; [key: string]: unknown };

function flowOf(steps: readonly WorkflowStep<State>[], start: Partial<State> = {}) {
  return new Workflow<State>({ name: "flow", initialState: { n: 0, list: [], ...start }, steps });
}

const add = (name: string): WorkflowStep<State> => ({ name, run: ({ n }) => ({ n: n + 1 }) });
const names = (steps: readonly { name: string; status: string }[]) =>
  steps.map(({ name, status }) => (status === "completed" ? name : `${name} ${status}`));

describe("a loop", () => {
  it("repeats its steps while the condition holds, which is checked before each round", async () => {
    const flow = flowOf([{ name: "up", loop: [add("one"), add("two")], while: ({ n }) => n < 4, maxRounds: 2 }]);

    const { state, steps } = await flow.run();
    expect(state.n).toBe(4);
    expect(names(steps)).toEqual(["up", "up/0", "up/0/one", "up/0/two", "up/1", "up/1/one", "up/1/two"]);
    expect(names((await flow.run({ input: { n: 9 } })).steps)).toEqual(["up"]);
  });

  it("repeats its steps until the condition holds, which is checked after each round", async () => {
    const flow = flowOf([{ name: "up", loop: [add("one")], until: ({ n }) => n >= 3, maxRounds: 3 }]);

    expect((await flow.run()).state.n).toBe(3);
    expect((await flow.run({ input: { n: 9 } })).state.n).toBe(10);
  });

  it.each<[string, WorkflowStep<State>, RegExp]>([
    ["while", { name: "up", loop: [add("one")], while: () => true, maxRounds: 2 }, /after 2 rounds.*still holds/],
    ["until", { name: "up", loop: [add("one")], until: () => false, maxRounds: 2 }, /after 2 rounds.*not hold yet/],
  ])("fails as limit_exceeded after maxRounds, with %s, and keeps the state", async (_form, step, message) => {
    const error = await failureOf(flowOf([step]).run());

    expect(error).toMatchObject({ code: "limit_exceeded", message: expect.stringMatching(message) });
    expect(error.fields["step"]).toBe("up");
    expect(error.result.state["n"]).toBe(2);
  });

  it("gives the agent of each round a conversation of its own, and the last answer to the next round", async () => {
    const model = new ScriptedModel("b", "c", "d");
    const writer = agentOn(model);
    const flow = flowOf([
      { name: "refine", loop: [{ name: "draft", agent: writer }], until: ({ draft }) => draft === "c", maxRounds: 5 },
      { name: "last", agent: agentOn(model) },
    ]);

    expect((await flow.run({ input: "a", sessionId: "s" })).state).toMatchObject({ draft: "c", last: "d" });
    expect(asked(model)).toEqual(["a", "b", "c"]);
    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
  });

  it("names the round in the error and the events of a step that fails", async () => {
    const flow = flowOf([
      {
        name: "up",
        loop: [
          {
            name: "one",
            run: ({ n }) => {
              if (n > 0) throw new TroupeError("unavailable", "Broken.");
              return { n: 1 };
            },
          },
        ],
        until: () => false,
        maxRounds: 5,
      },
    ]);

    const error = await failureOf(flow.run());
    expect(error).toMatchObject({ code: "unavailable", message: 'The step "up/1/one" failed: Broken.' });
    expect(names(error.result.steps)).toEqual(["up error", "up/0", "up/0/one", "up/1 error", "up/1/one error"]);
  });
});

describe("a choice", () => {
  const flow = flowOf([
    {
      name: "pick",
      choose: ({ n }) => n,
      cases: { 0: [add("zero")], 1: [] },
      otherwise: [{ name: "other", run: () => ({ n: -1 }) }],
    },
  ]);

  it("performs the steps of the chosen case, or of otherwise", async () => {
    const runs = [0, 1, 7].map(async (n) => await flow.run({ input: { n } }));
    const results = await Promise.all(runs);

    expect(results.map(({ state }) => state.n)).toEqual([1, 1, -1]);
    expect(results.map(({ steps }) => names(steps))).toEqual([["pick", "zero"], ["pick"], ["pick", "other"]]);
  });

  it("takes no case from the prototype, and names the key that has none", async () => {
    const strict = flowOf([{ name: "pick", choose: () => "constructor", cases: { a: [], b: [] } }]);

    expect(await failureOf(strict.run())).toMatchObject({
      code: "invalid_value",
      message: 'The step "pick" failed: no case for the key "constructor", and no otherwise. Its cases are a, b.',
    });
  });

  it("refuses a key that is no string, number or boolean", async () => {
    const wrong = flowOf([{ name: "pick", choose: () => null, cases: { null: [] } }]);

    expect(await failureOf(wrong.run())).toMatchObject({
      code: "invalid_value",
      message: expect.stringMatching(/choose must return/),
    });
  });
});

describe("a forEach", () => {
  it("returns the states after its steps, in order; the items do not see each other", async () => {
    const flow = flowOf([
      {
        name: "each",
        forEach: ({ list }) => list,
        as: "word",
        steps: [{ name: "mark", run: ({ n, word }) => ({ n: n + 1, list: [`${String(word)}!`] }) }],
      },
      { name: "count", run: ({ each }) => ({ n: (each as unknown[]).length }) },
    ]);

    const { state, steps } = await flow.run({ input: { list: ["é", 2] } });
    expect(state).toEqual({
      n: 2,
      list: ["é", 2],
      each: [
        { n: 1, list: ["é!"], word: "é" },
        { n: 1, list: ["2!"], word: 2 },
      ],
    });
    expect(names(steps)).toEqual(["each", "each/0", "each/0/mark", "each/1", "each/1/mark", "count"]);
  });

  it("gives an agent each item as its input, and keeps its answers and their joined text", async () => {
    const model = new ScriptedModel().respond(
      ({ messages }) => `<${getTextContent(messages.at(-1)?.content ?? null)}>`,
    );
    const flow = flowOf([
      { name: "translate", forEach: ({ list }) => list, agent: agentOn(model) },
      { name: "sum", agent: agentOn(model) },
    ]);

    const { state, steps } = await flow.run({ input: { list: ["a", { b: 1 }] } });
    expect(state["translate"]).toEqual(["<a>", '<{"b":1}>']);
    expect(state["sum"]).toBe('<<a>\n\n<{"b":1}>>');
    expect(steps[1]).toMatchObject({ name: "translate/0", output: "<a>" });
    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
  });

  it("calls a function for each item, with the item as the context's text and a key of its own", async () => {
    const flow = flowOf([
      {
        name: "each",
        forEach: () => ["a", "b"],
        run: ({ item }, { text, idempotencyKey = "" }) => [item, text, idempotencyKey.replace(/^[^/]*/, "")],
      },
      { name: "none", forEach: () => [], run: () => 1 },
      { name: "undefined", forEach: () => [1], run: () => undefined },
    ]);

    expect((await flow.run()).state).toMatchObject({
      each: [
        ["a", "a", "/each/0"],
        ["b", "b", "/each/1"],
      ],
      none: [],
      undefined: [null],
    });
  });

  it.each([1, 2, 3])(
    "works on at most %i items at the same time, and keeps the order of the results",
    async (concurrency) => {
      let [active, most] = [0, 0];
      const flow = flowOf([
        {
          name: "each",
          forEach: () => [5, 4, 3, 2, 1, 0],
          concurrency,
          run: async ({ item }) => {
            most = Math.max(most, ++active);
            for (let turn = 0; turn < Number(item); turn++) await nextTurn();
            active--;
            return item;
          },
        },
      ]);

      expect((await flow.run()).state["each"]).toEqual([5, 4, 3, 2, 1, 0]);
      expect(most).toBe(concurrency);
    },
  );

  const failing = (onItemError?: "fail" | "skip" | "collect") =>
    flowOf([
      {
        name: "each",
        forEach: () => [0, 1, 2],
        onItemError,
        run: ({ item }) => {
          if (item === 1) throw new TroupeError("unavailable", "Broken.");
          return item;
        },
      },
    ]);

  it("fails with the first item that fails, and begins no further item", async () => {
    const error = await failureOf(failing().run());

    expect(error).toMatchObject({ code: "unavailable", message: 'The step "each/1" failed: Broken.' });
    expect(names(error.result.steps)).toEqual(["each error", "each/0", "each/1 error"]);
  });

  it("cancels the other items when an item fails", async () => {
    let isCancelled = false;
    const flow = flowOf([
      {
        name: "each",
        forEach: () => [0, 1],
        concurrency: 2,
        run: async ({ item }, { signal }) => {
          if (item === 1) throw new TroupeError("unavailable", "Broken.");
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          isCancelled = true;
        },
      },
    ]);

    expect(await failureOf(flow.run())).toMatchObject({ code: "unavailable" });
    await nextTurn();
    expect(isCancelled).toBe(true);
  });

  it("skips or collects failures", async () => {
    expect((await failing("skip").run()).state["each"]).toEqual([0, 2]);
    expect((await failing("collect").run()).state["each"]).toEqual([
      0,
      { error: { code: "unavailable", message: 'The step "each/1" failed: Broken.', step: "each/1" } },
      2,
    ]);
  });

  it("collects no cancellation: the run ends", async () => {
    const abort = new AbortController();
    const flow = flowOf([{ name: "each", forEach: () => [0, 1], onItemError: "collect", run: () => abort.abort() }]);

    expect(await failureOf(flow.run({ signal: abort.signal }))).toMatchObject({ code: "cancelled" });
  });

  it.each<[string, () => unknown, RegExp]>([
    ["no array", () => "text", /forEach must return an array/],
    ["too many items", () => [1, 2, 3], /3 items, more than maxItems \(2\)/],
    ["an item that is not JSON", () => [() => 1], /at \[0\] is a function/],
  ])("refuses %s", async (_what, forEach, message) => {
    const flow = flowOf([{ name: "each", forEach, maxItems: 2, run: () => 1 }]);

    expect(await failureOf(flow.run())).toMatchObject({
      code: "invalid_value",
      message: expect.stringMatching(message),
    });
  });
});
