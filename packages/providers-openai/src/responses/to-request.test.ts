import { createLogger } from "@troupe/core";
import type { ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { lastBody, modelOf, question, startVendor, streamed } from "../../test/ask.ts";
import {
  bodyOf,
  conversation,
  looseParameters,
  looseTool,
  strictParameters,
  strictTool,
} from "../../test/request-body.ts";

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
    const format = async (responseFormat: NonNullable<ModelOptions["responseFormat"]>) =>
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
