import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { RunHooks } from "../agent/hooks.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Workflow } from "./workflow.ts";

function flowOf(hooks: RunHooks, model = new ScriptedModel("Rain.")) {
  const agent = new Agent({ name: "a", model });
  const flow = new Workflow({
    name: "flow",
    initialState: { place: "" },
    steps: [{ name: "weather", agent }],
    hooks,
  });
  return { flow, model };
}

describe("the hooks of a workflow", () => {
  it("are called before and after its run, with its own context [workflow.hooks]", async () => {
    const calls: unknown[] = [];
    const { flow } = flowOf({
      beforeRun: ({ agentName }, input) => void calls.push(["before", agentName, input]),
      afterRun: (_, { text, structured }) => void calls.push(["after", text, structured]),
    });
    await flow.run({ input: "Oslo?" });

    expect(calls).toEqual([
      ["before", "flow", "Oslo?"],
      ["after", "Rain.", { place: "", weather: "Rain." }],
    ]);
  });

  it("get an input object as JSON, and may add a text to it [workflow.hooks]", async () => {
    const seen: unknown[] = [];
    const { flow, model } = flowOf({ beforeRun: (_, input) => (seen.push(input), "Weather, please.") });
    const { state } = await flow.run({ input: { place: "Oslo" } });

    expect(seen).toEqual(['{"place":"Oslo"}']);
    expect(model.calls[0]?.messages.at(-1)?.content).toBe("Weather, please.");
    expect(state).toEqual({ place: "Oslo", weather: "Rain." });
  });

  it("replace the text of a run, also of a streamed one and of a runnable [workflow.hooks]", async () => {
    for (const perform of [
      async ({ flow }: ReturnType<typeof flowOf>) => await flow.run({ input: "Oslo?" }),
      async ({ flow }: ReturnType<typeof flowOf>) => await Array.fromAsync(flow.stream({ input: "Oslo?" })),
      async ({ flow }: ReturnType<typeof flowOf>) => await flow.asRunnable().run("Oslo?"),
      async ({ flow }: ReturnType<typeof flowOf>) => await Array.fromAsync(flow.asRunnable().stream("Oslo?")),
    ]) {
      const subject = flowOf({ beforeRun: () => "Bergen?" });
      await perform(subject);
      expect(subject.model.calls[0]?.messages.at(-1)?.content).toBe("Bergen?");
    }
  });

  it("end the run with the error of beforeRun, and hear of each failure [workflow.hooks]", async () => {
    const codes: string[] = [];
    const onError: RunHooks["onError"] = (_, { code }) => void codes.push(code);
    const { flow, model } = flowOf({ onError, beforeRun: () => Promise.reject(new Error("broken")) });
    await expect(flow.run()).rejects.toMatchObject({ code: "internal" });
    expect(model.calls).toEqual([]);

    await expect(flowOf({ onError }, new ScriptedModel({ error: new Error("x") })).flow.run()).rejects.toMatchObject({
      name: "TroupeError",
    });
    expect(codes).toHaveLength(2);
  });

  it("know no tool calls, which are those of the agents", () => {
    expect(() => flowOf({ onToolCall: () => undefined } as never)).toThrow(/onToolCall/);
  });
});
