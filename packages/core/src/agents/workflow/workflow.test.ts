import { describe, expect, it, vi } from "vitest";
import type { RunContext } from "../run/run-context.ts";
import { RunError } from "../run/run-output.ts";
import type { Runnable } from "../run/runnable.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { agentOf } from "./test/agents.ts";
import { Workflow } from "./workflow.ts";

describe("a workflow", () => {
  it("starts from its initial state and runs its steps in order [workflow.initial-state] [workflow.order]", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { trail: ["start"] },
      steps: [
        { name: "one", run: ({ trail }) => ({ trail: [...trail, "one"] }) },
        { name: "two", run: async ({ trail }) => await Promise.resolve({ trail: [...trail, "two"] }) },
      ],
    });

    expect((await flow.run()).state).toEqual({ trail: ["start", "one", "two"] });
  });

  it("takes a session and a user, and returns the state [workflow.run]", async () => {
    let context: RunContext | undefined;
    const flow = new Workflow({
      name: "flow",
      initialState: { count: 0 },
      steps: [
        {
          name: "count",
          run: ({ count }, own) => {
            context = own;
            return { count: count + 1 };
          },
        },
      ],
    });
    const result = await flow.run({ sessionId: "s1", userId: "u1" });

    expect(context).toMatchObject({ sessionId: "s1", userId: "u1", runId: result.runId, agentName: "flow" });
    expect(result).toEqual({
      runId: expect.any(String),
      status: "completed",
      state: { count: 1 },
      steps: [{ name: "count", status: "completed", durationMs: expect.any(Number) }],
      usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
      durationMs: expect.any(Number),
    });
  });

  it("emits its start and its end, with the state as structured output", async () => {
    const heard: unknown[] = [];
    const flow = new Workflow({ name: "flow", initialState: { n: 1 }, steps: [{ name: "s", run: () => {} }] });
    flow.eventBus.on("run.start", ({ agentName, input }) => heard.push({ agentName, input }));
    flow.eventBus.on("run.complete", ({ output }) => heard.push(output.structured));
    await flow.run({ input: { n: 2 } });

    expect(heard).toEqual([{ agentName: "flow", input: '{"n":2}' }, { n: 2 }]);
  });
});

describe("the input of a run", () => {
  const initialState: { city: string; days: number; open: unknown } = { city: "Oslo", days: 1, open: null };
  const flow = new Workflow({
    name: "flow",
    initialState,
    steps: [{ name: "s", run: () => {} }],
  });

  it("is merged over the initial state of this run alone", async () => {
    expect((await flow.run({ input: { days: 3, open: [1] } })).state).toEqual({ city: "Oslo", days: 3, open: [1] });
    expect((await flow.run()).state).toEqual({ city: "Oslo", days: 1, open: null });
  });

  it.each([
    ["a key that the initial state has not", { cty: "Bergen" }, /Unknown key "cty".*city, days, open/],
    ["a value of another kind", { days: "3" }, /input\.days must be a number/],
    ["what is no JSON", { open: new Date(0) }, /input\.open is a Date/],
    ["an array", ["Bergen"], /input must be an object/],
    ["the prototype", JSON.parse('{"__proto__":{"days":2}}'), /Unknown key "__proto__"/],
  ])("refuses %s", async (_what, input, problem) => {
    const failure = flow.run({ input: input as object });

    await expect(failure).rejects.toMatchObject({ code: "invalid_request" });
    await expect(failure).rejects.toThrow(problem);
  });

  it.each([null, false, 0, ["Bergen"], Symbol("x")])(
    "refuses %o, which is neither an object nor a string",
    async (input) => {
      const opts = { input: input as unknown as object };
      const message =
        "input must be an object, which is merged over the initial state, or a string for the first agent step.";
      const refusal = expect.objectContaining({ code: "invalid_request", message });

      await expect(flow.run(opts)).rejects.toEqual(refusal);
      expect(() => flow.stream(opts)).toThrow(refusal);
    },
  );

  it("may be undefined, as if it were left out", async () => {
    expect((await flow.run({ input: undefined })).state).toEqual(initialState);
    expect(await Array.fromAsync(flow.stream({ input: undefined }))).toHaveLength(3);
  });

  it("is rejected before anything runs, also when streamed", () => {
    expect(() => flow.stream({ input: { cty: 1 } as object })).toThrow(/Unknown key "cty"/);
    expect(() => flow.stream(5 as unknown as object)).toThrow(/run options must be an object/);
    expect(() => flow.asRunnable().stream("go", null as unknown as object)).toThrow(/run options must be an object/);
    expect(() => flow.stream({ sesionId: "s1" } as object)).toThrow(/Unknown option "sesionId" of the run/);
  });
});

describe("the usage of a workflow", () => {
  it("is the sum of its agents' usage", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      steps: [
        { name: "one", agent: agentOf("a"), inputFrom: () => "go" },
        {
          name: "both",
          parallel: [
            { name: "two", agent: agentOf("b") },
            { name: "three", agent: agentOf("c") },
          ],
        },
      ],
    });

    expect((await flow.run()).usage.totalTokens).toBe(3 * scriptedUsage.totalTokens);
  });

  it("counts the usage that a third party's runnable reports, also when it fails", async () => {
    const output = {
      text: "",
      toolCalls: [],
      usage: scriptedUsage,
      runId: "r",
      sessionId: "s",
      status: "completed" as const,
      durationMs: 0,
    };
    const failure = new RunError("unavailable", "Not now.", { output });
    const run = vi.fn<Runnable["run"]>().mockRejectedValueOnce(failure).mockResolvedValueOnce(output);
    const stranger = {
      name: "stranger",
      kind: "remote",
      eventBus: agentOf().eventBus,
      run,
      stream: vi.fn<Runnable["stream"]>(),
    } as const;
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      retryPolicy: { maxRetries: 1, backoffMs: 0 },
      steps: [{ name: "one", agent: stranger, inputFrom: () => "go" }],
    });

    expect((await flow.run()).usage.totalTokens).toBe(2 * scriptedUsage.totalTokens);
  });

  it("includes a nested workflow's usage once", async () => {
    const inner = new Workflow({
      name: "inner",
      initialState: { topic: "" },
      steps: [{ name: "topic", agent: agentOf("rain") }],
    });
    const flow = new Workflow({
      name: "flow",
      initialState: { report: null as { topic: string } | null },
      steps: [{ name: "report", agent: inner.asRunnable(), inputFrom: () => "go" }],
    });
    const { state, usage } = await flow.run();

    expect([state, usage]).toEqual([{ report: { topic: "rain" } }, scriptedUsage]);
  });
});
