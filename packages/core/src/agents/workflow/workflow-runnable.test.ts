import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { toPublicOutput } from "../run/run-output.ts";
import { checkConformance } from "../../testing/conformance/check-conformance.ts";
import { runnableCases } from "../../testing/conformance/runnable-cases.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { agentOf } from "./test/agents.ts";
import { Workflow } from "./workflow.ts";
import type { StepContext } from "./workflow-step.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

describe("a workflow as a Runnable", () => {
  checkConformance(it, runnableCases, {
    create: () => ({
      runnable: (model) => {
        const agent = new Agent({ name: "helper", model });
        return new Workflow({ name: "flow", initialState: {}, steps: [{ name: "answer", agent }] }).asRunnable();
      },
    }),
  });
});

describe("a nested workflow in a parallel step", () => {
  checkConformance(it, runnableCases, {
    create: () => ({
      runnable: (model) => {
        const agent = new Agent({ name: "helper", model });
        const other = new Agent({ name: "other", model });
        const inner = new Workflow({ name: "inner", initialState: {}, steps: [{ name: "answer", agent }] });
        return new Workflow({
          name: "flow",
          initialState: { seen: false },
          retryPolicy: { maxRetries: 0, backoffMs: 0 },
          steps: [
            { name: "note", run: () => ({ seen: true }) },
            { name: "aside", condition: () => false, steps: [{ name: "other", agent: other }] },
            {
              name: "block",
              parallel: [
                { name: "idle", run: () => {} },
                { name: "inner", agent: inner.asRunnable() },
              ],
            },
          ],
        }).asRunnable();
      },
    }),
  });
});

async function textsOf(stream: AsyncIterable<{ type: string; text?: string }>): Promise<string[]> {
  const texts: string[] = [];
  for await (const chunk of stream) if (chunk.type === "text") texts.push(chunk.text ?? "");
  return texts;
}

describe("asRunnable", () => {
  it("gives its input to the first agent, and returns the last text and the state", async () => {
    const model = new ScriptedModel("Rain.");
    const flow = new Workflow({
      name: "flow",
      description: "Tells the weather.",
      initialState: { question: "", weather: "" },
      steps: [
        { name: "keep", run: (_state, { text }) => ({ question: text }) },
        { name: "weather", agent: new Agent({ name: "a", model }) },
      ],
    });
    const runnable = flow.asRunnable();
    const output = await runnable.run("Oslo?");

    expect(model.calls[0]?.messages.at(-1)?.content).toBe("Oslo?");
    expect([runnable.kind, runnable.name, runnable.description]).toEqual(["workflow", "flow", "Tells the weather."]);
    expect([output.text, output.structured]).toEqual(["Rain.", { question: "Oslo?", weather: "Rain." }]);
    expect(toPublicOutput(output).structured).toEqual(output.structured);
  });

  it("merges an object into the state, and gives it as JSON to an agent without inputFrom", async () => {
    const model = new ScriptedModel("Rain.");
    const flow = new Workflow({
      name: "flow",
      initialState: { city: "" },
      steps: [{ name: "weather", agent: new Agent({ name: "a", model }) }],
    });
    const output = await flow.asRunnable().run({ city: "Oslo" });

    expect(output.structured).toEqual({ city: "Oslo", weather: "Rain." });
    expect(model.calls[0]?.messages.at(-1)?.content).toBe('{"city":"Oslo"}');
  });

  it("takes a string of JSON as a string", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { admin: false },
      steps: [{ name: "s", agent: agentOf("No.") }],
    });

    expect((await flow.asRunnable().run('{"admin":true}')).structured).toEqual({ admin: false, s: "No." });
  });

  it("gives content parts to the first agent unchanged", async () => {
    const model = new ScriptedModel("A cat.");
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      steps: [{ name: "see", agent: new Agent({ name: "a", model }) }],
    });
    const parts = [{ type: "image" as const, data: "aGk=", mimeType: "image/png" }];
    await flow.asRunnable().run(parts);

    expect(model.calls[0]?.messages.at(-1)?.content).toEqual(parts);
  });

  it("returns its state as text when no agent answered", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { count: 1 },
      steps: [{ name: "inc", run: ({ count }) => ({ count: count + 1 }) }],
    });

    expect((await flow.asRunnable().run("go")).text).toBe('{"count":2}');
    expect(await textsOf(flow.asRunnable().stream("go"))).toEqual(['{"count":2}']);
  });

  it("streams the last agent step alone, as it answers", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { done: false },
      steps: [
        { name: "draft", agent: agentOf("A first draft.") },
        { name: "final", agent: agentOf("The last word.") },
        { name: "mark", run: () => ({ done: true }) },
      ],
    });
    const stream = flow.asRunnable().stream("go");

    expect(await textsOf(stream)).toEqual(["The ", "last ", "word."]);
    expect((await stream.output).text).toBe("The last word.");
  });

  it("streams an earlier text as one chunk when the last agent step does not run", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      steps: [
        { name: "draft", agent: agentOf("A first draft.") },
        { name: "unless", condition: () => false, steps: [{ name: "final", agent: agentOf() }] },
      ],
    });

    expect(await textsOf(flow.asRunnable().stream("go"))).toEqual(["A first draft."]);
  });

  it("streams the answers of parallel agents as one chunk, as its output has them", async () => {
    const parallel = [
      { name: "one", agent: agentOf("First.") },
      { name: "two", agent: agentOf("Second.") },
    ];
    const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "all", parallel }] });
    const stream = flow.asRunnable().stream("go");

    expect(await textsOf(stream)).toEqual(["First.\n\nSecond."]);
    expect((await stream.output).text).toBe("First.\n\nSecond.");
  });

  it("does not repeat a step whose chunks were emitted", async () => {
    const model = new ScriptedModel({ text: "Half a ", error: new Error("broken") }, "again");
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      retryPolicy: { maxRetries: 1, backoffMs: 0 },
      steps: [{ name: "say", agent: new Agent({ name: "a", model }) }],
    });

    await expect(textsOf(flow.asRunnable().stream("go"))).rejects.toMatchObject({ fields: { step: "say" } });
    expect(model.calls).toHaveLength(1);
  });

  it("uses no configured user or session of its agents for a request from outside", async () => {
    const storage = new InMemoryStorage();
    const model = new ScriptedModel().respond(() => "fine");
    const agent = new Agent({ name: "a", model, storage, sessionId: "own", userId: "me" });
    const users: unknown[] = [];
    agent.eventBus.on("run.complete", ({ output }) => void users.push(output.userId));
    const steps = [
      { name: "asks", agent },
      {
        name: "by hand",
        run: async (_: object, parent: StepContext) => void (await agent.run("go", { parent })),
      },
    ];
    const flow = new Workflow({ name: "flow", initialState: {}, steps }).asRunnable();
    await flow.run("go", attemptOpts({ fromOutside: true }));
    const { sessions } = await agent.sessions.listSessions({ userId: "me" });

    expect([users, sessions]).toEqual([[undefined, undefined], []]);
  });
});
