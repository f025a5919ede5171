import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import type { ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import type { ModelRules } from "./model-rules.ts";
import { toTools } from "./to-tools.ts";

const look = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
const callOf = (name: string): MessageParam => ({
  role: "assistant",
  content: [
    { type: "text", text: "a" },
    { type: "tool_use", id: "c", name, input: {} },
  ],
});

type Case = Partial<Parameters<typeof toTools>[0]> & { rules?: Partial<ModelRules> };

function convert({ rules, ...asked }: Case): [ReturnType<typeof toTools>, string[]] {
  const { context, omitted } = contextOf(rules);
  return [toTools({ messages: [], thinks: false, hasMore: false, ...asked }, context), omitted];
}

describe("toTools", () => {
  it("declares each tool, without what the vendor does not take", () => {
    const parameters = { $schema: "https://json-schema.org", properties: { a: {} }, required: ["a"] };
    const [{ tools }] = convert({ tools: [look, { name: "b", description: "", parameters }] });

    expect(tools).toEqual([
      { name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } },
      { name: "b", input_schema: { type: "object", properties: { a: {} }, required: ["a"] } },
    ]);
  });

  it.each(["oneOf", "anyOf", "allOf"])("refuses parameters of %s, which the vendor does not take", (keyword) => {
    const tools = [{ ...look, parameters: { [keyword]: [{ type: "object" }] } }];

    expect(() => convert({ tools })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("those of look") }) as Error,
    );
    expect(() => convert({ tools: [{ ...look, parameters: { properties: { [keyword]: {} } } }] })).not.toThrow();
  });

  it.each<[ModelOptions["toolChoice"], boolean | undefined, object | undefined]>([
    [undefined, undefined, undefined],
    [undefined, true, undefined],
    [undefined, false, { type: "auto", disable_parallel_tool_use: true }],
    ["auto", undefined, undefined],
    ["auto", false, { type: "auto", disable_parallel_tool_use: true }],
    ["none", undefined, { type: "none" }],
    ["none", false, { type: "none" }],
    ["required", undefined, { type: "any" }],
    ["required", false, { type: "any", disable_parallel_tool_use: true }],
    [{ tool: "look" }, true, { type: "tool", name: "look" }],
    [{ tool: "look" }, false, { type: "tool", name: "look", disable_parallel_tool_use: true }],
  ])("converts the choice %j with parallel calls %s to %j", (toolChoice, parallelToolCalls, choice) => {
    const [sent, omitted] = convert({ tools: [look], toolChoice, parallelToolCalls });

    expect([sent.tool_choice, omitted]).toEqual([choice, []]);
  });

  it.each<[string, Case]>([
    ["that cannot be forced", { rules: { forcedTools: false } }],
    ["that thinks", { thinks: true }],
  ])("leaves out a forced call of a model %s, and reports it", (_, setup) => {
    for (const toolChoice of ["required", { tool: "look" }] as const) {
      const [sent, omitted] = convert({ tools: [look], toolChoice, ...setup });
      expect([sent.tool_choice, omitted]).toEqual([undefined, ["toolChoice"]]);
    }
    for (const toolChoice of ["auto", "none", undefined] as const) {
      expect(convert({ tools: [look], toolChoice, ...setup })[1]).toEqual([]);
    }
  });

  it("declares the tools that the history called once each, and lets none be called", () => {
    const messages = [callOf("a"), callOf("b"), callOf("a"), { role: "user", content: "Hi." } as const];
    const tools = ["a", "b"].map((name) => ({ name, input_schema: { type: "object" } }));

    expect(convert({ messages })[0]).toEqual({ tools, tool_choice: { type: "none" } });
    expect(convert({ messages, tools: [], toolChoice: "required" })[0]).toEqual({
      tools,
      tool_choice: { type: "none" },
    });
    expect(convert({ messages, hasMore: true })[0]).toEqual({ tools });
    expect(convert({ messages: [{ role: "user", content: "Hi." }] })[0]).toEqual({});
    expect(convert({ messages, tools: [look] })[0].tools).toHaveLength(1);
  });
});
