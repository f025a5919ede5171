import { describe, expect, it } from "vitest";
import type { ToolChoice } from "../../model/model-config.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

const find = toolNamed("find", () => "found");

describe.each(["run", "stream"] as const)("a forced tool choice (%s)", (way) => {
  async function warningsOf(toolChoice: ToolChoice, ...turns: Parameters<typeof scripted>[0]): Promise<string[]> {
    const { agent } = scripted(turns, { tools: [look, find], modelOptions: { toolChoice } });
    const warnings: string[] = [];
    agent.eventBus.on("run.warning", ({ code, message }) => void warnings.push(`${code}: ${message}`));
    const { status } = way === "run" ? await agent.run("Hi") : await agent.stream("Hi").output;
    expect(status).toBe("completed");
    return warnings;
  }

  it.each<[what: string, choice: ToolChoice, tool: string]>([
    ["answers without a call", "required", "a tool"],
    ["answers without the call of the named tool", { tool: "look" }, 'the tool "look"'],
  ])("is warned of once when the model %s [model-calls.tool-choice-ignored]", async (_what, choice, tool) => {
    expect(await warningsOf(choice, "No.")).toEqual([
      `tool_choice_ignored: The model was told by toolChoice to call ${tool}, and did not. Its answer is taken as it is.`,
    ]);
  });

  it("is warned of when the model calls another tool than the named one [model-calls.tool-choice-ignored]", async () => {
    const other = { toolCalls: [callOf("1", "Oslo", "find")] };

    expect(await warningsOf({ tool: "look" }, other, "Done.")).toHaveLength(1);
    expect(await warningsOf("required", other, "Done.")).toEqual([]);
  });

  it.each<[what: string, choice: ToolChoice, turns: Parameters<typeof scripted>[0]]>([
    ["calls it", { tool: "look" }, [{ toolCalls: [callOf("1")] }, "Done."]],
    ["may answer", "auto", ["No."]],
    ["may call nothing", "none", ["No."]],
    ["was cut", "required", [{ text: "N", finishReason: "length" }]],
    ["was blocked", "required", [{ text: "", finishReason: "content_filter" }]],
  ])("is not warned of when the model %s [model-calls.tool-choice-ignored]", async (_what, choice, turns) => {
    expect(await warningsOf(choice, ...turns)).toEqual([]);
  });
});
