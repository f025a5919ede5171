import type { ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import { toFormat } from "./to-format.ts";
import { toTools } from "./to-tools.ts";

const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
const [look, see] = [
  { name: "look", description: "Looks.", parameters },
  { name: "see", description: "", parameters: {} },
];
const sent = [
  { type: "function", function: look },
  { type: "function", function: { ...see, parameters: { type: "object", properties: {} } } },
];

describe("toTools", () => {
  it.each<[string, ModelOptions, object[], string[]]>([
    ["all", { tools: [look, see] }, sent, []],
    ["all that may be called", { tools: [look, see], toolChoice: "auto", parallelToolCalls: true }, sent, []],
    ["none that must not be called", { tools: [look], toolChoice: "none", parallelToolCalls: false }, [], []],
    ["none of none", { tools: [], toolChoice: "required", parallelToolCalls: false }, [], []],
    ["none", {}, [], []],
    ["one that must be called", { tools: [see], toolChoice: "required" }, sent.slice(1), ["toolChoice"]],
    ["one by name", { tools: [see], toolChoice: { tool: "see" } }, sent.slice(1), ["toolChoice"]],
    ["one at a time", { tools: [see], parallelToolCalls: false }, sent.slice(1), ["parallelToolCalls"]],
  ])("declares %s", (_, ...[options, tools, left]) => {
    const { context, omitted } = contextOf();

    expect(toTools(options, context)).toEqual(tools);
    expect(omitted).toEqual(left);
  });

  it("declares none for a model that takes none, and says so", () => {
    const { context, omitted } = contextOf({ tools: false });

    expect(toTools({ tools: [look] }, context)).toEqual([]);
    expect(omitted).toEqual(["the list of tools"]);
  });

  it("refuses a tool whose parameters are a choice, by its name", () => {
    const choice = { ...see, parameters: { anyOf: [parameters, parameters] } };

    expect(() => toTools({ tools: [look, choice] }, contextOf().context)).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringMatching(/^ollama's qwen3:8b takes no tool .* give those of see one object/) as unknown,
      }),
    );
  });
});

describe("toFormat", () => {
  const alone = "Answer with JSON alone: one value, with no words and no code fence around it.";
  const schema = { type: "json_schema" as const, schema: parameters };
  const words = `${alone} It must fit this JSON Schema:\n${JSON.stringify(parameters)}`;

  it.each<[string, ModelOptions["responseFormat"], boolean, object]>([
    ["text", "text", false, {}],
    ["no form", undefined, true, {}],
    ["JSON", "json", false, { format: "json", instruction: alone }],
    ["a schema", schema, false, { format: parameters, instruction: words }],
    ["JSON beside tools", "json", true, { instruction: alone }],
    ["a schema beside tools", schema, true, { instruction: words }],
  ])("asks for %s", (_, ...[wanted, hasTools, expected]) => {
    const { context, omitted } = contextOf();

    expect(toFormat(wanted, hasTools, context)).toStrictEqual(expected);
    expect(omitted).toEqual(hasTools && wanted !== undefined ? ["the form of the answer"] : []);
  });
});
