import type { ChatMessage, ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { lastBody, modelOf, question, startVendor, streamed } from "../../test/ask.ts";
import { bodyOf, conversation, looseTool, strictParameters, strictTool } from "../../test/request-body.ts";
import type { Setup } from "../../test/request-body.ts";

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
    const options: ModelOptions = { temperature: 0.5, topP: 0.9, maxTokens: 100, stop: ["END"], toolChoice: "none" };

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
    const options: ModelOptions = { reasoning: { enabled: true, effort: "low" } };
    const vendor = await startVendor({ strict: false });
    vendor.respond(() => ({ answer: "Yes." }));
    const ask = async (config: Setup, more: ModelOptions = {}) => {
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
    const format = async (responseFormat: NonNullable<ModelOptions["responseFormat"]>, modelId = "gpt-4.1") =>
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
