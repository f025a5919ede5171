import type { ChatMessage, ModelOptions } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import { toRequest } from "./to-request.ts";

const ask: ChatMessage[] = [{ role: "user", content: "Umbrella?" }];
const look = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
const opus = "us.anthropic.claude-opus-5-5";
const sonnet = "anthropic.claude-sonnet-4-5-20250929-v1:0";
const nova = "us.amazon.nova-pro-v1:0";
const nova2 = "us.amazon.nova-2-lite-v1:0";
const llama = "us.meta.llama3-3-70b-instruct-v1:0";
const mistral = "mistral.mistral-large-2407-v1:0";
const r1 = "us.deepseek.r1-v1:0";

type Given = { modelId?: string; options?: ModelCallOptions; messages?: ChatMessage[] };

function write({ modelId = nova, options = {}, messages = ask }: Given) {
  const { context, omitted } = contextOf({}, modelId);
  return { body: toRequest(messages, options, context), omitted };
}

describe("settings", () => {
  it("stand in inferenceConfig, and those that Converse lacks are reported", () => {
    const options = { temperature: 0.5, topP: 0.9, maxTokens: 100, stop: ["END", " "], seed: 7 };

    expect(write({ options })).toEqual({
      body: {
        messages: [{ role: "user", content: [{ text: "Umbrella?" }] }],
        inferenceConfig: { temperature: 0.5, topP: 0.9, maxTokens: 100, stopSequences: ["END"] },
      },
      omitted: ["a stop sequence of blanks", "seed"],
    });
  });

  it.each<[string, object | undefined, string[]]>([
    [nova, { temperature: 0.5, topP: 0.9 }, []],
    [llama, { temperature: 0.5, topP: 0.9 }, []],
    [sonnet, { temperature: 0.5 }, ["topP"]],
    [opus, undefined, ["temperature or topP"]],
  ])("for sampling are those that %s accepts", (modelId, inferenceConfig, left) => {
    const { body, omitted } = write({ modelId, options: { temperature: 0.5, topP: 0.9 } });

    expect([body.inferenceConfig, omitted]).toEqual([inferenceConfig, left]);
  });

  it("settings of the vendor are merged last, field by field", () => {
    const vendor = {
      bedrock: {
        guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" },
        additionalModelRequestFields: { top_k: 5 },
        inferenceConfig: { topP: 0.1 },
        stream: false,
      },
      anthropic: { top_k: 1 },
    };
    const { body } = write({ modelId: opus, options: { vendor, maxTokens: 9, reasoning: { enabled: true } } });

    expect(body).toMatchObject({
      guardrailConfig: { guardrailIdentifier: "g" },
      additionalModelRequestFields: { top_k: 5, thinking: { type: "adaptive" } },
      inferenceConfig: { maxTokens: 9, topP: 0.1 },
    });
    expect(body).not.toHaveProperty("stream");
  });
});

describe("reasoning", () => {
  it.each<[string, ModelOptions["reasoning"], object, string[]]>([
    [
      opus,
      { enabled: true },
      { additionalModelRequestFields: { thinking: { type: "adaptive", display: "summarized" } } },
      [],
    ],
    [opus, { enabled: true, effort: "minimal" }, { outputConfig: { effort: "low" } }, []],
    [opus, { enabled: true, budgetTokens: 8193 }, { outputConfig: { effort: "high" } }, []],
    [opus, { enabled: true, effort: "none" }, { outputConfig: { effort: "low" } }, ["reasoning.effort none"]],
    [opus, { enabled: false }, {}, ["reasoning.enabled false"]],
    [
      sonnet,
      { enabled: true, effort: "low" },
      {
        additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2048 } },
        inferenceConfig: { maxTokens: 2048 + 16_384 },
      },
      [],
    ],
    [
      sonnet,
      { enabled: true, budgetTokens: 1 },
      { additionalModelRequestFields: { thinking: { budget_tokens: 1024 } } },
      [],
    ],
    [sonnet, { enabled: false }, {}, []],
    [
      nova2,
      { enabled: true },
      { additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } } },
      [],
    ],
    [nova2, { enabled: false }, {}, []],
    [r1, { enabled: true }, {}, []],
    [r1, { enabled: true, effort: "high" }, {}, ["reasoning.effort"]],
    [r1, { enabled: true, budgetTokens: 9 }, {}, ["reasoning.budgetTokens"]],
    [r1, { enabled: false }, {}, ["reasoning.enabled false"]],
    [llama, { enabled: true }, {}, ["reasoning"]],
    [llama, { enabled: false }, {}, []],
    [nova, { enabled: true, effort: "none" }, {}, []],
  ])("of %s by %j", (modelId, reasoning, ...[expected, left]) => {
    const { body, omitted } = write({ modelId, options: { reasoning } });

    expect(body).toMatchObject(expected);
    expect(omitted).toEqual(left);
  });

  it("raises a limit that the budget would not leave room in", () => {
    const reasoning = { enabled: true, budgetTokens: 2000 };
    const limitOf = (maxTokens: number) =>
      write({ modelId: sonnet, options: { reasoning, maxTokens } }).body.inferenceConfig?.maxTokens;

    expect([limitOf(3023), limitOf(3024), limitOf(3025)]).toEqual([3024, 3024, 3025]);
  });

  it("reasoning of Nova with its highest effort goes without limits and sampling", () => {
    const settings = { maxTokens: 10, temperature: 0.1, topP: 0.2, stop: ["END"] };
    const { body, omitted } = write({
      modelId: nova2,
      options: { reasoning: { enabled: true, effort: "xhigh" }, ...settings },
    });

    expect(body.inferenceConfig).toEqual({ stopSequences: ["END"] });
    expect(omitted).toEqual(["maxTokens", "temperature or topP"]);
    const reasoning = { enabled: true, effort: "medium" as const };
    expect(write({ modelId: nova2, options: { reasoning, maxTokens: 10 } }).body.inferenceConfig).toEqual({
      maxTokens: 10,
    });
  });

  it("reasoning with a budget is left out where the thinking before a call is gone", () => {
    const messages: ChatMessage[] = [
      ...ask,
      { role: "assistant", content: "Let me look.", toolCalls: [{ id: "a", name: "look", arguments: {} }] },
      { role: "tool", toolCallId: "a", content: "rain" },
    ];
    const options = { reasoning: { enabled: true }, tools: [look] };

    expect(write({ modelId: sonnet, messages, options }).omitted).toEqual(["reasoning"]);
    expect(write({ modelId: opus, messages, options }).omitted).toEqual([]);
    const later: ChatMessage[] = [...messages, { role: "assistant", content: "Rain." }, ...ask];
    expect(write({ modelId: sonnet, messages: later, options }).omitted).toEqual([]);
  });
});

describe("tools", () => {
  it.each<[string, ModelOptions["toolChoice"], object | undefined, string[]]>([
    [nova, undefined, undefined, []],
    [nova, "auto", undefined, []],
    [nova, "required", { any: {} }, []],
    [nova, { tool: "look" }, { tool: { name: "look" } }, []],
    [mistral, "required", { any: {} }, []],
    [mistral, { tool: "look" }, { any: {} }, []],
    [llama, "required", undefined, ["toolChoice"]],
    [opus, { tool: "look" }, undefined, ["toolChoice"]],
  ])("of %s with the choice %j", (modelId, toolChoice, ...expected) => {
    const tools = [look, { ...look, name: "other", description: "" }];
    const { body, omitted } = write({ modelId, options: { tools, toolChoice } });
    const names = body.toolConfig?.tools.map((tool) => ("toolSpec" in tool ? tool.toolSpec.name : ""));

    expect([body.toolConfig?.toolChoice, omitted]).toEqual(expected);
    expect(names).toEqual(modelId === mistral && typeof toolChoice === "object" ? ["look"] : ["look", "other"]);
  });

  it("are not sent if none may be called, nor to a model without tools", () => {
    expect(write({ options: { tools: [look], toolChoice: "none" } })).toEqual({ body: write({}).body, omitted: [] });
    expect(write({ modelId: r1, options: { tools: [look] } }).omitted).toEqual(["the list of tools"]);
  });

  it("are called one at a time by Claude alone", () => {
    const options = { tools: [look], toolChoice: "required" as const, parallelToolCalls: false };

    expect(write({ modelId: sonnet, options }).body).toMatchObject({
      additionalModelRequestFields: { tool_choice: { type: "any", disable_parallel_tool_use: true } },
    });
    expect(write({ modelId: sonnet, options }).body.toolConfig).not.toHaveProperty("toolChoice");
    expect(write({ options }).omitted).toEqual(["parallelToolCalls"]);
  });

  it("have a plain schema for Nova, and no union for anyone", () => {
    const parameters = {
      $schema: "s",
      title: "T",
      type: "object",
      properties: { a: {} },
      required: ["a"],
      additionalProperties: false,
    };
    const schemaOf = (modelId: string) =>
      write({ modelId, options: { tools: [{ ...look, parameters }] } }).body.toolConfig?.tools[0];

    expect(schemaOf(nova)).toMatchObject({
      toolSpec: { inputSchema: { json: { type: "object", properties: { a: {} }, required: ["a"] } } },
    });
    expect(JSON.stringify(schemaOf(nova))).not.toMatch(/title|additionalProperties/);
    const { $schema: _, ...kept } = parameters;
    expect(schemaOf(llama)).toMatchObject({ toolSpec: { inputSchema: { json: kept } } });
    expect(() => write({ options: { tools: [{ ...look, parameters: { anyOf: [] } }] } })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringContaining("those of look") as string,
      }) as Error,
    );
  });
});

describe("the format of the answer", () => {
  const schema = {
    type: "object",
    properties: { dry: { type: "boolean" } },
    required: ["dry"],
    additionalProperties: false,
  };
  const format = (given: object) => ({
    responseFormat: { type: "json_schema" as const, schema: { ...given }, name: "a b" },
  });

  it("is enforced where the model and the schema allow it", () => {
    const { body, omitted } = write({ modelId: sonnet, options: format({ $schema: "s", ...schema }) });

    expect(body.outputConfig).toEqual({
      textFormat: { type: "json_schema", structure: { jsonSchema: { schema: JSON.stringify(schema), name: "a_b" } } },
    });
    expect([body.system, omitted]).toEqual([undefined, []]);
  });

  it.each<[string, string, object]>([
    ["another model", nova, schema],
    ["an open object", sonnet, { ...schema, additionalProperties: true }],
    ["a limit", sonnet, { ...schema, properties: { dry: { type: "number", minimum: 1 } } }],
    ["a reference", sonnet, { $ref: "#/$defs/a", $defs: {} }],
    ["an array of anything", sonnet, { type: "array" }],
  ])("stands in the instructions for %s", (_, modelId, given) => {
    const { body, omitted } = write({ modelId, options: format(given) });

    expect(body.system).toEqual([{ text: expect.stringContaining(JSON.stringify(given)) as string }]);
    expect([body.outputConfig, omitted]).toEqual([undefined, ["the schema of responseFormat"]]);
  });

  it("is JSON by an instruction", () => {
    expect(JSON.stringify(write({ options: { responseFormat: "json" } }).body.system)).toMatch(/one JSON value/);
    expect(write({ options: { responseFormat: "text" } }).body.system).toBeUndefined();
  });
});

describe("the system prompt", () => {
  const messages: ChatMessage[] = [
    { role: "system", content: "Be short." },
    { role: "system", content: "Facts." },
    { role: "system", content: " " },
    ...ask,
  ];

  it("has what each run repeats first", () => {
    expect(write({ messages }).body.system).toEqual([{ text: "Be short." }, { text: "Facts." }]);
  });

  it("stands in the first message of a model that has none", () => {
    const { body } = write({ modelId: "mistral.mistral-7b-instruct-v0:2", messages });

    expect(body).toEqual({
      messages: [{ role: "user", content: [{ text: "Be short." }, { text: "Facts." }, { text: "Umbrella?" }] }],
    });
  });
});
