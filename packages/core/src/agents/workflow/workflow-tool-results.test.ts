import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { Source } from "../../base/message/source.ts";
import type { Artifact } from "../../base/message/tool-call.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Workflow } from "./workflow.ts";

const chart: Artifact = { type: "chart", data: [1] };
const draw = {
  name: "draw",
  description: "Draws.",
  parameters: { type: "object" },
  execute: () => ({ content: "drawn", artifacts: [chart] }),
};

const drawer = () =>
  new Agent({ name: "ann", model: new ScriptedModel({ toolCalls: [{ name: "draw" }] }, "Done."), tools: [draw] });

it("a workflow as a runnable has the sources of its agents, and streams those of the last [workflow.sources]", async () => {
  const [oslo, rome] = [
    { id: "1", url: "https://example.com/oslo" },
    { id: "2", title: "rome.pdf" },
  ];
  const agentOf = (name: string, source: Source) =>
    new Agent({ name, model: new ScriptedModel().respond(() => ({ text: "Rain.", sources: [source] })) });
  const steps = [
    { name: "first", agent: agentOf("first", oslo) },
    { name: "second", agent: agentOf("second", rome) },
  ];
  const runnable = new Workflow({ name: "w", initialState: {}, steps }).asRunnable();
  const stream = runnable.stream("Weather?");
  const chunks = await Array.fromAsync(stream);

  expect((await runnable.run("Weather?")).sources).toEqual([oslo, rome]);
  expect((await stream.output).sources).toEqual([oslo, rome]);
  expect(chunks.filter(({ type }) => type === "source")).toEqual([{ type: "source", ...rome }]);
});

describe("the results of tools in a workflow", () => {
  it("are in the chunks of its steps, and in the stream of the workflow as a runnable [workflow.tool-results]", async () => {
    const workflow = () => new Workflow({ name: "w", initialState: {}, steps: [{ name: "ask", agent: drawer() }] });

    const events = await Array.fromAsync(workflow().stream({ input: "Draw." }));
    const chunks = await Array.fromAsync(workflow().asRunnable().stream("Draw."));

    const inSteps = events.flatMap((event) => (event.type === "chunk" ? [event.chunk] : []));
    for (const shown of [inSteps, chunks]) {
      expect(shown.filter(({ type }) => type === "tool_result")).toMatchObject([
        { toolName: "draw", artifacts: [chart] },
      ]);
    }
  });
});
