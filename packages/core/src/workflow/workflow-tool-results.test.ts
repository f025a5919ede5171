import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { Artifact } from "../message/tool-call.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
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
