import { describe, expect, it, vi } from "vitest";
import type { ToolChoice } from "../../model/model-config.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { Run } from "../run/run.ts";
import type { PreparedCall } from "./loop-plan.ts";
import { answering, callOf } from "./test/agents.ts";
import { warnOfAnswer } from "./warn-of-answer.ts";

/** The warnings of an answer to a call with this choice. */
function warningsOf(toolChoice: ToolChoice | undefined, more: Partial<ModelResponse>): unknown[] {
  const warn = vi.fn<Run["warn"]>();
  const response = { text: "", toolCalls: [], finishReason: "stop", ...more } as unknown as ModelResponse;
  const prepared = { model: answering(), options: { toolChoice } } as unknown as PreparedCall;
  warnOfAnswer({ warn }, prepared, response);
  return warn.mock.calls;
}

const odd = { vendor: "odd", model: "odd-1" };
const ignored = (wanted: string, fields = odd) => [
  "tool_choice_ignored",
  `The model was told by toolChoice to call ${wanted}, and did not. Its answer is taken as it is.`,
  fields,
];
const skipped = (count: number, fields = odd) => [
  "call_skipped",
  "The model's answer has tool calls that name no tool. They are skipped.",
  { ...fields, count },
];

describe("warnOfAnswer", () => {
  it.each<[choice: ToolChoice | undefined, more: Partial<ModelResponse>]>([
    [undefined, {}],
    ["auto", {}],
    ["none", { toolCalls: [callOf("1")] }],
    ["required", { toolCalls: [callOf("1")] }],
    [{ tool: "look" }, { toolCalls: [callOf("1", "Oslo", "dig"), callOf("2")] }],
    ["required", { finishReason: "length" }],
    ["required", { finishReason: "content_filter" }],
    [{ tool: "look" }, { finishReason: "error" }],
  ])("warns of no answer that has the call it was asked for, or was cut: %j %j", (choice, more) => {
    expect(warningsOf(choice, more)).toEqual([]);
  });

  const answeredBy = { providerId: "v", modelId: "m" };

  it.each<[choice: ToolChoice | undefined, more: Partial<ModelResponse>, warning: unknown]>([
    ["required", {}, ignored("a tool")],
    ["required", { finishReason: "tool_calls" }, ignored("a tool")],
    [{ tool: "look" }, { finishReason: "other" }, ignored('the tool "look"')],
    [{ tool: "look" }, { toolCalls: [callOf("1", "Oslo", "dig")] }, ignored('the tool "look"')],
    ["required", { answeredBy }, ignored("a tool", { vendor: "v", model: "m" })],
    [undefined, { skippedCalls: 2 }, skipped(2)],
    ["required", { skippedCalls: 1, answeredBy }, skipped(1, { vendor: "v", model: "m" })],
    [{ tool: "look" }, { skippedCalls: 0 }, skipped(0)],
  ])("warns once of one without it, or with calls that name no tool: %j %j", (choice, more, warning) => {
    expect(warningsOf(choice, more)).toEqual([warning]);
  });
});
