import type { ChatMessage } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { lastBody, modelOf, question, startVendor, streamed } from "../../test/ask.ts";
import { callOf } from "../../test/model-call.ts";
import type { CallSetup } from "../../test/model-call.ts";
import { bodyOf, conversation, looseTool, strictParameters, strictTool } from "../../test/request-body.ts";
import type { Setup } from "../../test/request-body.ts";
import { toChatRequest } from "./to-request.ts";

describe("a request for Chat Completions", () => {
  const chat = { api: "chat" } as const;

  it("says the conversation in the words of all servers, and nothing that nobody asked for", async () => {
    const body = await bodyOf({ tools: [strictTool, looseTool] }, { ...chat, messages: conversation });

    expect(body).toEqual({
      model: "gpt-4.1",
      messages: [
        { role: "system", content: "Be short.\n\nBe kind." },
        { role: "user", content: "Umbrella?" },
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "rain" },
        { role: "assistant", content: "Take one." },
        { role: "system", content: "It is evening." },
        {
          role: "user",
          content: [
            { type: "text", text: "And" },
            { type: "text", text: "now?" },
          ],
        },
      ],
      tools: [
        { type: "function", function: { ...strictTool, strict: true } },
        { type: "function", function: looseTool },
      ],
    });
  });

  it("asks a stream for its price", async () => {
    const vendor = (await startVendor()).say("Yes.");
    await streamed(modelOf(vendor, chat));

    expect(lastBody(vendor)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it("names a chosen tool in the form of the API [tool-choice.vendors]", async () => {
    const chosen = await bodyOf({ tools: [looseTool], toolChoice: { tool: looseTool.name } }, chat);
    const required = await bodyOf({ tools: [looseTool], toolChoice: "required" }, chat);

    expect([chosen["tool_choice"], required["tool_choice"]]).toEqual([
      { type: "function", function: { name: looseTool.name } },
      "required",
    ]);
  });

  it("carries every setting that the model takes [model-config.sampling]", async () => {
    const options: ModelCallOptions = {
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 100,
      stop: ["END"],
      toolChoice: "none",
    };

    expect(await bodyOf({ ...options, tools: [looseTool] }, chat)).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 100,
      stop: ["END"],
      tool_choice: "none",
    });
    const elsewhere = await bodyOf({ ...options, maxTokens: 7 }, { ...chat, modelId: "llama-4" });
    expect(elsewhere).toMatchObject({ max_tokens: 7, stop: ["END"] });
    expect(elsewhere).not.toHaveProperty("tool_choice");
  });

  it("asks for reasoning as the server wants it asked [openai.reasoning-effort]", async () => {
    const options: ModelCallOptions = { reasoning: { enabled: true, effort: "low" } };
    const vendor = await startVendor({ strict: false });
    vendor.respond(() => ({ answer: "Yes." }));
    const ask = async (config: Setup, more: ModelCallOptions = {}) => {
      await modelOf(vendor, { ...chat, modelId: "qwen-4", ...config }).generate(question, { ...options, ...more });
      const { reasoning, reasoning_effort: effort, reasoning_format: format } = lastBody(vendor);
      return { reasoning, effort, format };
    };

    expect(await ask({})).toEqual({ effort: "low" });
    expect(await ask({}, { reasoning: { enabled: true } })).toEqual({});
    expect(await ask({}, { reasoning: { enabled: false, effort: "low" } })).toEqual({});
    expect(await ask({ rules: { reasoningStyle: "openrouter" } })).toEqual({
      reasoning: { enabled: true, effort: "low" },
    });
    expect(await ask({ rules: { reasoningStyle: "groq" } })).toEqual({ effort: "low", format: "parsed" });
    expect(await ask({ modelId: "gpt-4.1" })).toEqual({});
    expect(await ask({ modelId: "gpt-6.1-sol" })).toEqual({ effort: "low" });
    expect(await ask({ modelId: "gpt-6.1-sol" }, { tools: [looseTool] })).toEqual({});
  });

  it("asks for the form of the answer [model-config.format-json] [model-config.format-schema] [model-config.format-text]", async () => {
    const schema = { type: "json_schema", schema: strictParameters, name: "weather" } as const;
    const format = async (responseFormat: NonNullable<ModelCallOptions["responseFormat"]>, modelId = "gpt-4.1") =>
      await bodyOf({ responseFormat }, { ...chat, modelId });

    expect(await format("text")).not.toHaveProperty("response_format");
    expect(await format(schema)).toMatchObject({
      response_format: {
        type: "json_schema",
        json_schema: { name: "weather", schema: strictParameters, strict: true },
      },
    });
    const elsewhere = await format(schema, "llama-4");
    expect(elsewhere["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "weather", schema: strictParameters },
    });
    expect(await format("json")).toMatchObject({
      messages: [{ role: "system", content: expect.stringContaining("JSON") }, question[0]],
      response_format: { type: "json_object" },
    });
  });

  it("has no message that says nothing", async () => {
    const messages: ChatMessage[] = [question[0] as ChatMessage, { role: "assistant", content: null }];

    expect((await bodyOf({}, { ...chat, messages }))["messages"]).toEqual(question);
  });
});

/** Returns the fields of a request beside the model and the messages, and the names of what was left out. */
function fieldsOf(options: ModelCallOptions, setup: CallSetup = {}): { fields: object; omitted: string[] } {
  const { call, omitted } = callOf(options, setup);
  const { model: _model, messages: _messages, ...fields } = toChatRequest(call) as Record<string, unknown>;
  return { fields, omitted };
}

describe("toChatRequest", () => {
  it.each<[string, ModelCallOptions, object]>([
    ["no settings", {}, {}],
    ["temperature 0", { temperature: 0 }, { temperature: 0 }],
    ["temperature 2", { temperature: 2 }, { temperature: 2 }],
    ["topP 0", { topP: 0 }, { top_p: 0 }],
    ["topP 1", { topP: 1 }, { top_p: 1 }],
    ["both", { temperature: 0, topP: 0 }, { temperature: 0, top_p: 0 }],
    ["stop words", { stop: ["a", " "] }, { stop: ["a", " "] }],
    ["no stop words", { stop: [] }, { stop: [] }],
    ["maxTokens", { maxTokens: 1 }, { max_completion_tokens: 1 }],
    ["seed 0", { seed: 0 }, { seed: 0 }],
    ["seed -1", { seed: -1 }, { seed: -1 }],
    ["a cache key", { cacheKey: "s1" }, { prompt_cache_key: "s1" }],
    ["an empty array of tools", { tools: [], toolChoice: "required", parallelToolCalls: false }, {}],
    ["a text as format", { responseFormat: "text" }, {}],
    ["a field of the vendor", { vendor: { openai: { user: "u" } } }, { user: "u" }],
    ["fields of other vendors", { vendor: { anthropic: { top_k: 1 } } }, {}],
  ])("has the fields of %s alone, as given", (_, options, fields) => {
    expect(fieldsOf(options)).toEqual({ fields, omitted: [] });
  });

  it.each([true, false])("says if tools may be called in parallel: %s", (parallelToolCalls) => {
    const { fields } = fieldsOf({ tools: [looseTool], parallelToolCalls });

    expect(fields).toMatchObject({ parallel_tool_calls: parallelToolCalls });
    expect(fieldsOf({ tools: [looseTool] }).fields).toEqual({ tools: [{ type: "function", function: looseTool }] });
  });

  it("marks a tool as strict only where schema and server allow it", () => {
    const strict = ({ fields }: { fields: object }) =>
      (fields as { tools: { function: { strict?: boolean } }[] }).tools.map(({ function: { strict: is } }) => is);

    expect(strict(fieldsOf({ tools: [strictTool, looseTool] }))).toEqual([true, undefined]);
    expect(strict(fieldsOf({ tools: [strictTool] }, { rules: { strict: false } }))).toEqual([undefined]);
  });

  it("leaves out and reports settings that the model does not take, 0 too, and no others", () => {
    const all = { temperature: 0, topP: 0, stop: [] };

    expect(fieldsOf(all, { rules: { sampling: false } })).toEqual({
      fields: { stop: [] },
      omitted: ["temperature", "topP"],
    });
    expect(fieldsOf(all, { rules: { stop: false } })).toEqual({
      fields: { temperature: 0, top_p: 0 },
      omitted: ["stop"],
    });
    expect(fieldsOf({ temperature: 1 }, { rules: { sampling: false, stop: false } }).omitted).toEqual(["temperature"]);
    expect(fieldsOf({}, { rules: { sampling: false, stop: false } }).omitted).toEqual([]);
    expect(fieldsOf({ cacheKey: "s1" }, { rules: { cacheKey: false } })).toEqual({ fields: {}, omitted: [] });
  });

  it("limits tokens under the name that the server knows", () => {
    expect(fieldsOf({ maxTokens: 5 }, { rules: { maxTokensField: "max_tokens" } }).fields).toEqual({ max_tokens: 5 });
  });

  it("lets fields of the vendor replace its own, but not make a stream of another kind", () => {
    const vendor = { openai: { temperature: 1, stream: false, model: "other" } };

    expect(fieldsOf({ temperature: 0, vendor }, { stream: true }).fields).toMatchObject({
      temperature: 1,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(fieldsOf({}, { stream: false }).fields).not.toHaveProperty("stream_options");
  });

  it.each<[string, ModelCallOptions, CallSetup, object, string[]]>([
    ["none without reasoning", {}, {}, {}, []],
    ["reasoning of a model that does not reason", { reasoning: { enabled: true } }, {}, {}, ["reasoning"]],
    ["none of a model that does not reason", { reasoning: { enabled: false } }, {}, {}, []],
    [
      "reasoning beside tools",
      { reasoning: { enabled: true, effort: "low" }, tools: [looseTool] },
      { rules: { reasoning: true, reasoningWithTools: false } },
      { tools: expect.any(Array) },
      ["reasoning"],
    ],
    [
      "reasoning beside tools that the model takes",
      { reasoning: { enabled: true, effort: "low" }, tools: [looseTool] },
      { rules: { reasoning: true, reasoningWithTools: true } },
      { tools: expect.any(Array), reasoning_effort: "low" },
      [],
    ],
    [
      "reasoning without tools",
      { reasoning: { enabled: true, effort: "low" }, tools: [] },
      { rules: { reasoning: true, reasoningWithTools: false } },
      { reasoning_effort: "low" },
      [],
    ],
    ["reasoning without an effort", { reasoning: { enabled: true } }, { rules: { reasoning: true } }, {}, []],
    [
      "reasoning without an effort on OpenRouter",
      { reasoning: { enabled: true } },
      { rules: { reasoning: true, reasoningStyle: "openrouter" } },
      { reasoning: { enabled: true } },
      [],
    ],
    [
      "reasoning without an effort on Groq",
      { reasoning: { enabled: true } },
      { rules: { reasoning: true, reasoningStyle: "groq" } },
      { reasoning_format: "parsed" },
      [],
    ],
  ])("asks for %s", (...[, options, setup, fields, omitted]) => {
    expect(fieldsOf(options, setup)).toStrictEqual({ fields, omitted });
  });
});
