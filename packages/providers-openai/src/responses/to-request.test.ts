import { createLogger } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { lastBody, modelOf, question, startVendor, streamed } from "../../test/ask.ts";
import { callOf } from "../../test/model-call.ts";
import type { CallSetup } from "../../test/model-call.ts";
import {
  bodyOf,
  conversation,
  looseParameters,
  looseTool,
  strictParameters,
  strictTool,
} from "../../test/request-body.ts";
import { toResponsesRequest } from "./to-request.ts";

describe("a request to Responses", () => {
  it("says the conversation in the vendor's words, and stores nothing there", async () => {
    const body = await bodyOf({ tools: [strictTool, looseTool] }, { messages: conversation });

    expect(body).toEqual({
      model: "gpt-6.1-sol",
      store: false,
      instructions: "Be short.\n\nBe kind.",
      input: [
        { role: "user", content: "Umbrella?" },
        { role: "assistant", content: "Let me look." },
        { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
        { type: "function_call_output", call_id: "call_1", output: "rain" },
        { role: "assistant", content: "Take one." },
        { role: "developer", content: "It is evening." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "And" },
            { type: "input_text", text: "now?" },
          ],
        },
      ],
      tools: [
        { type: "function", ...strictTool, strict: true },
        { type: "function", ...looseTool, strict: false },
      ],
      include: ["reasoning.encrypted_content"],
    });
  });

  it("is marked as a stream when it is one", async () => {
    const vendor = (await startVendor()).say("Yes.");
    await streamed(modelOf(vendor));

    expect(lastBody(vendor)).toMatchObject({ stream: true, store: false });
  });

  it("names a chosen tool in the form of the API [tool-choice.vendors]", async () => {
    const chosen = await bodyOf({ tools: [looseTool], toolChoice: { tool: looseTool.name } }, { modelId: "gpt-4.1" });
    const required = await bodyOf({ tools: [looseTool], toolChoice: "required" }, { modelId: "gpt-4.1" });

    expect([chosen["tool_choice"], required["tool_choice"]]).toEqual([
      { type: "function", name: looseTool.name },
      "required",
    ]);
  });

  it("carries every setting that the model takes [model-config.sampling]", async () => {
    const options = {
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 100,
      toolChoice: "required",
      tools: [looseTool],
    } as const;

    expect(await bodyOf(options, { modelId: "gpt-4.1" })).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 100,
      tool_choice: "required",
    });
  });

  it("asks for reasoning with its effort, and for its words [openai.reasoning-effort] [model-config.reasoning]", async () => {
    const asked = await bodyOf({ reasoning: { enabled: true, effort: "high", budgetTokens: 5000 } });

    expect(asked).toMatchObject({ reasoning: { effort: "high", summary: "auto" } });
    expect(await bodyOf({ reasoning: { enabled: true } })).toMatchObject({ reasoning: { summary: "auto" } });
    expect(await bodyOf({ reasoning: { enabled: false, effort: "high" } })).not.toHaveProperty("reasoning");
  });

  it("asks for the form of the answer [model-config.format-json] [model-config.format-schema] [model-config.format-text]", async () => {
    const schema = { type: "json_schema", schema: strictParameters, name: "the weather" } as const;
    const format = async (responseFormat: NonNullable<ModelCallOptions["responseFormat"]>) =>
      await bodyOf({ responseFormat });

    expect(await format("text")).not.toHaveProperty("text");
    expect(await format(schema)).toMatchObject({
      text: { format: { type: "json_schema", name: "the_weather", schema: strictParameters, strict: true } },
    });
    expect(await format({ type: "json_schema", schema: looseParameters })).toMatchObject({
      text: { format: { type: "json_schema", name: "answer", schema: looseParameters, strict: false } },
    });
    expect(await format("json")).toMatchObject({
      text: { format: { type: "json_object" } },
      input: [question[0], { role: "developer", content: expect.stringContaining("JSON") }],
    });
  });

  it("describes a schema in words to a model that takes none", async () => {
    const responseFormat = { type: "json_schema", schema: looseParameters } as const;
    const body = await bodyOf({ responseFormat }, { modelId: "gpt-4-turbo" });

    expect(body).toMatchObject({
      text: { format: { type: "json_object" } },
      input: [question[0], { role: "developer", content: expect.stringContaining(JSON.stringify(looseParameters)) }],
    });
  });

  it("says instructions as input when there is nothing else to say", async () => {
    const body = await bodyOf({}, { messages: [{ role: "system", content: "Greet." }] });

    expect(body["input"]).toEqual([{ role: "developer", content: "Greet." }]);
    expect(body).not.toHaveProperty("instructions");
  });

  it("leaves out what the model cannot be asked for, and says so to whoever debugs", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", color: false, write: (line) => lines.push(line) });
    const options = { temperature: 0, topP: 1, stop: ["x"] };
    const body = await bodyOf(options, { logger, messages: [{ role: "user", content: "Hi", name: "Ann" }] });

    expect(Object.keys(body).toSorted()).toEqual(["include", "input", "model", "store"]);
    for (const option of ["temperature", "topP", "stop", "name"])
      expect(
        lines.some((line) => line.includes(`${option} is left out`)),
        option,
      ).toBe(true);
  });
});

/** Returns the fields of a request beside those that all have, and the names of what was left out. */
function fieldsOf(options: ModelCallOptions, setup: CallSetup = {}): { fields: object; omitted: string[] } {
  const { call, omitted } = callOf(options, setup);
  const { model: _model, input: _input, store, ...fields } = toResponsesRequest(call) as Record<string, unknown>;
  expect(store).toBe(false);
  return { fields, omitted };
}

describe("toResponsesRequest", () => {
  const include = ["reasoning.encrypted_content"];

  it.each<[string, ModelCallOptions, object, string[]]>([
    ["no settings", {}, {}, []],
    ["temperature 0", { temperature: 0 }, { temperature: 0 }, []],
    ["topP 0", { topP: 0 }, { top_p: 0 }, []],
    ["both", { temperature: 2, topP: 1 }, { temperature: 2, top_p: 1 }, []],
    ["maxTokens", { maxTokens: 1 }, { max_output_tokens: 1 }, []],
    ["a cache key", { cacheKey: "s1" }, { prompt_cache_key: "s1" }, []],
    ["stop words, which Responses do not know", { stop: [] }, {}, ["stop"]],
    ["a seed, which Responses do not know", { seed: 0 }, {}, ["seed"]],
    ["an empty array of tools", { tools: [], toolChoice: "required", parallelToolCalls: false }, {}, []],
    ["a text as format", { responseFormat: "text" }, {}, []],
    ["a field of the vendor", { vendor: { openai: { user: "u" } } }, { user: "u" }, []],
    ["fields of other vendors", { vendor: { anthropic: { top_k: 1 } } }, {}, []],
  ])("has the fields of %s alone, as given", (...[, options, fields, omitted]) => {
    expect(fieldsOf(options)).toEqual({ fields, omitted });
  });

  it("leaves out and reports settings that the model does not take, 0 too, and no others", () => {
    const rules = { sampling: false, cacheKey: false };

    expect(fieldsOf({ temperature: 0, topP: 0, cacheKey: "s1" }, { rules })).toEqual({
      fields: {},
      omitted: ["temperature", "topP"],
    });
    expect(fieldsOf({ topP: 1 }, { rules }).omitted).toEqual(["topP"]);
    expect(fieldsOf({}, { rules }).omitted).toEqual([]);
  });

  it.each([true, false])("says if tools may be called in parallel: %s", (parallelToolCalls) => {
    const { fields } = fieldsOf({ tools: [looseTool], parallelToolCalls });

    expect(fields).toMatchObject({ parallel_tool_calls: parallelToolCalls });
    expect(Object.keys(fieldsOf({ tools: [looseTool] }).fields)).toEqual(["tools"]);
  });

  it("marks every tool as strict or not: the vendor would take it as strict otherwise", () => {
    const strict = (setup: CallSetup) =>
      (fieldsOf({ tools: [strictTool, looseTool] }, setup).fields as { tools: { strict: boolean }[] }).tools.map(
        (tool) => tool.strict,
      );

    expect(strict({})).toEqual([true, false]);
    expect(strict({ rules: { strict: false } })).toEqual([false, false]);
  });

  it("lets fields of the vendor replace its own, but not make a stream of another kind", () => {
    const vendor = { openai: { temperature: 1, stream: false } };

    expect(fieldsOf({ temperature: 0, vendor }, { stream: true }).fields).toEqual({ temperature: 1, stream: true });
  });

  it.each<[string, ModelCallOptions["reasoning"], CallSetup["rules"], object, string[]]>([
    ["none of a model that does not reason", { enabled: false }, {}, {}, []],
    ["reasoning of a model that does not reason", { enabled: true }, {}, {}, ["reasoning"]],
    ["what a reasoning model does by itself", undefined, { reasoning: true }, { include }, []],
    ["no reasoning of a model that can do without", { enabled: false }, { reasoning: true }, { include }, []],
    [
      "no reasoning of a model that always reasons",
      { enabled: false },
      { reasoning: true, sampling: false },
      { include },
      ["reasoning.enabled false"],
    ],
    [
      "reasoning with its summary",
      { enabled: true, effort: "low" },
      { reasoning: true, reasoningSummary: true },
      { include, reasoning: { effort: "low", summary: "auto" } },
      [],
    ],
    [
      "reasoning without a summary",
      { enabled: true, effort: "low" },
      { reasoning: true, reasoningSummary: false },
      { include, reasoning: { effort: "low" } },
      [],
    ],
    ["reasoning of no effort", { enabled: true }, { reasoning: true, reasoningSummary: false }, { include }, []],
  ])("asks for %s", (...[, reasoning, rules, fields, omitted]) => {
    expect(fieldsOf({ ...(reasoning && { reasoning }) }, { ...(rules && { rules }) })).toEqual({ fields, omitted });
  });
});
