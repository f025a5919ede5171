import { describe, expect, it } from "vitest";
import type { ToolChoice } from "./model-config.ts";
import { checkModelSettings, isForcedChoice, requireChosenTool } from "./model-settings.ts";

const read = (value: unknown) => checkModelSettings(value, "modelOptions", {});
const refusal = (message: string, code = "invalid_config") => expect.objectContaining({ code, message });

describe("checkModelSettings", () => {
  it.each<[object]>([
    [{}],
    [{ temperature: 0, topP: 0, maxTokens: 1, stop: [] }],
    [{ temperature: 2, topP: 1, maxTokens: 100_000, stop: ["\n", "END"] }],
    [{ temperature: 0.7, topP: 0.5, seed: -5 }],
    [{ seed: 0, parallelToolCalls: false }],
    [{ toolChoice: "auto" }],
    [{ toolChoice: "none" }],
    [{ toolChoice: "required" }],
    [{ toolChoice: { tool: "look" } }],
    [{ reasoning: { enabled: false } }],
    [{ reasoning: { enabled: true, effort: "xhigh", budgetTokens: 1 } }],
    [{ reasoning: { enabled: true, effort: "none" } }],
    [{ responseFormat: "text" }],
    [{ responseFormat: "json" }],
    [{ responseFormat: { type: "json_schema", schema: { type: "object" } } }],
    [{ responseFormat: { type: "json_schema", schema: {}, name: "" } }],
    [{ vendor: {} }],
    [{ vendor: { openai: { a: [1, { b: null }] }, other: {} } }],
  ])("takes %j as it is", (settings) => {
    expect(read(settings)).toStrictEqual(settings);
  });

  it("leaves out what is undefined, and copies what vendors get", () => {
    const vendor = { openai: { a: [1], b: undefined }, other: undefined };
    const settings = read({ temperature: undefined, stop: undefined, vendor });
    vendor.openai.a.push(2);

    expect(settings).toStrictEqual({ vendor: { openai: { a: [1] } } });
  });

  const choices = 'must be "auto", "none", "required" or { tool: name }';
  const efforts = '"none", "minimal", "low", "medium", "high" or "xhigh"';
  const formats = '"text", "json" or { type: "json_schema", schema }';
  const vendors = 'an object with the options of each provider by its id, like { openai: { service_tier: "flex" } }';

  it.each<[unknown, string]>([
    [null, "modelOptions must be an object, got null."],
    [[], "modelOptions must be an object, got an array."],
    [{ temperature: -0.1 }, "modelOptions.temperature must be a number from 0 to 2, got -0.1."],
    [{ temperature: 2.1 }, "modelOptions.temperature must be a number from 0 to 2, got 2.1."],
    [{ temperature: Number.NaN }, "modelOptions.temperature must be a number from 0 to 2, got NaN."],
    [{ topP: 1.1 }, "modelOptions.topP must be a number from 0 to 1, got 1.1."],
    [{ maxTokens: 0 }, "modelOptions.maxTokens must be a positive integer, got 0."],
    [{ maxTokens: 1.5 }, "modelOptions.maxTokens must be a positive integer, got 1.5."],
    [{ stop: "x" }, "modelOptions.stop must be an array of strings that are not empty, got a string."],
    [{ stop: ["x", ""] }, "modelOptions.stop[1] must be a string that is not empty, got a string."],
    [
      { toolChoice: "any" },
      `modelOptions.toolChoice ${choices.replace('"required" or', '"required" or')}, got a string.`,
    ],
    [{ toolChoice: ["look"] }, `modelOptions.toolChoice ${choices}, got an array.`],
    [{ toolChoice: { tool: "" } }, "modelOptions.toolChoice.tool must be a string that is not empty, got a string."],
    [{ toolChoice: { name: "x" } }, 'Unknown option "name" of modelOptions.toolChoice. Expected tool.'],
    [{ reasoning: {} }, "modelOptions.reasoning.enabled must be true or false, got undefined."],
    [
      { reasoning: { enabled: true, effort: "max" } },
      `modelOptions.reasoning.effort must be ${efforts}, got a string.`,
    ],
    [
      { reasoning: { enabled: true, budgetTokens: 0 } },
      "modelOptions.reasoning.budgetTokens must be a positive integer, got 0.",
    ],
    [{ responseFormat: "xml" }, `modelOptions.responseFormat must be ${formats}, got a string.`],
    [{ responseFormat: {} }, 'modelOptions.responseFormat.type must be "json_schema", got undefined.'],
    [
      { responseFormat: { type: "json_schema", schema: [] } },
      "modelOptions.responseFormat.schema must be a JSON schema (an object), got an array.",
    ],
    [{ seed: 0.5 }, "modelOptions.seed must be an integer, got 0.5."],
    [{ seed: 2 ** 53 }, `modelOptions.seed must be an integer, got ${2 ** 53}.`],
    [{ parallelToolCalls: 1 }, "modelOptions.parallelToolCalls must be true or false, got 1."],
    [{ vendor: [] }, `modelOptions.vendor must be ${vendors}, got an array.`],
    [{ vendor: { openai: "flex" } }, "modelOptions.vendor.openai must be an object, got a string."],
    [{ vendor: { openai: null } }, "modelOptions.vendor.openai must be an object, got null."],
    [{ vendor: { ["x".repeat(70)]: 1 } }, `modelOptions.vendor.${"x".repeat(64)} must be an object, got 1.`],
  ])("refuses %j", (settings, message) => {
    expect(() => read(settings)).toThrow(refusal(message));
  });

  it("names the place of a vendor's option that is not JSON, with the code of its caller", () => {
    const vendor = { openai: { a: [1n] } };
    const problem = (at: string) =>
      expect.stringMatching(new RegExp(`^${at}\\.openai\\.a\\[0\\] .*\\. Vendor options are sent as JSON\\.$`));

    expect(() => read({ vendor })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: problem("modelOptions\\.vendor") }),
    );
    expect(() => checkModelSettings({ vendor }, "options", { path: "run", code: "invalid_request" })).toThrow(
      expect.objectContaining({ code: "invalid_request", message: problem("run\\.options\\.vendor") }),
    );
  });
});

describe("the tool choice of a call", () => {
  const names = ["look", "find"];

  it.each<[ToolChoice | undefined, boolean]>([
    [undefined, false],
    ["auto", false],
    ["none", false],
    ["required", true],
    [{ tool: "look" }, true],
  ])("%j forces a call: %s", (choice, isForced) => {
    expect(isForcedChoice(choice)).toBe(isForced);
  });

  it.each<[ToolChoice | undefined, string[]]>([
    [undefined, []],
    ["auto", []],
    ["none", []],
    ["required", ["look"]],
    [{ tool: "find" }, names],
  ])("%j is met by the tools %j", (choice, tools) => {
    expect(() => requireChosenTool(choice, tools, { at: "toolChoice" })).not.toThrow();
  });

  it.each<[ToolChoice, string[], string]>([
    ["required", [], "toolChoice needs a tool. There are no tools."],
    [{ tool: "look" }, [], 'toolChoice names "look", which is not a tool here. There are no tools.'],
    [{ tool: "Look" }, names, 'toolChoice names "Look", which is not a tool here. Expected one of look or find.'],
    [{ tool: "loo" }, ["look"], 'toolChoice names "loo", which is not a tool here. Expected one of look.'],
  ])("%j is not met by the tools %j", (choice, tools, message) => {
    expect(() => requireChosenTool(choice, tools, { at: "toolChoice" })).toThrow(refusal(message));
    expect(() => requireChosenTool(choice, tools, { at: "toolChoice", code: "invalid_request" })).toThrow(
      refusal(message, "invalid_request"),
    );
  });
});
