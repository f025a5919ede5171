import type { LanguageModelV4 } from "@ai-sdk/provider";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { generateText, jsonSchema, Output, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { toAiSdk } from "./to-ai-sdk.ts";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = defineTool({ name: "weather", description: "Tells the weather.", parameters, execute: () => "rain" });
const callWeather = { toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] };

function agentWith(...answers: ConstructorParameters<typeof ScriptedModel>): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel(...answers);
  return { model, agent: new Agent({ name: "helper", model, tools: [weather], instructions: "Be short." }) };
}

describe("toAiSdk", () => {
  it("is a language model of specification v4", () => {
    const model: LanguageModelV4 = toAiSdk(agentWith().agent);

    expect([model.specificationVersion, model.provider, model.modelId]).toEqual(["v4", "troupe", "helper"]);
  });

  it("answers generateText with the text, the tools that the agent called and the tokens of the run", async () => {
    const { agent } = agentWith(callWeather, "Take an umbrella.");
    const { text, toolCalls, toolResults, usage, finishReason } = await generateText({
      model: toAiSdk(agent),
      prompt: "Umbrella?",
    });

    expect([text, finishReason]).toEqual(["Take an umbrella.", "stop"]);
    expect(toolCalls).toMatchObject([{ toolName: "weather", input: { city: "Oslo" }, providerExecuted: true }]);
    expect(toolResults).toMatchObject([{ toolName: "weather", output: "rain" }]);
    expect([usage.inputTokens, usage.outputTokens]).toEqual([20, 10]);
  });

  it("streams to streamText what the agent streams, and ends once", async () => {
    const { agent } = agentWith({ thinking: "Rain.", ...callWeather }, { text: ["Take ", "an umbrella."] });
    const { fullStream } = streamText({ model: toAiSdk(agent), prompt: "Umbrella?" });
    const types: string[] = [];
    for await (const { type } of fullStream) types.push(type);

    expect(types).toEqual([
      "start",
      "start-step",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
      "tool-call",
      "tool-result",
      "text-start",
      "text-delta",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
  });

  it("gives the messages of the call to the run as its history, beside the agent's instructions", async () => {
    const { agent, model } = agentWith("Yes.");
    await generateText({
      model: toAiSdk(agent),
      instructions: "Answer in Norwegian.",
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi." },
        {
          role: "user",
          content: [
            { type: "text", text: "And this?" },
            { type: "image", image: "iVBORw0KGgo=" },
          ],
        },
      ],
    });

    const sent = model.calls[0]?.messages.map(({ role, content }) => [role, content]);
    expect(sent).toEqual([
      ["system", "Be short."],
      ["system", "Answer in Norwegian."],
      ["user", "Hello"],
      ["assistant", "Hi."],
      [
        "user",
        [
          { type: "text", text: "And this?" },
          { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        ],
      ],
    ]);
  });

  it("gives the agent's own tool calls back to it in the next call", async () => {
    const { agent, model } = agentWith(callWeather, "Rain.", "Yes.");
    const asModel = toAiSdk(agent);
    const messages = [{ role: "user" as const, content: "Umbrella?" }];
    const { responseMessages } = await generateText({ model: asModel, messages });
    await generateText({
      model: asModel,
      messages: [...messages, ...responseMessages, { role: "user", content: "Sure?" }],
    });

    expect(model.calls.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  it("passes settings and the schema for the answer on to the run", async () => {
    const { agent, model } = agentWith('{"rain":true}');
    const { output } = await generateText({
      model: toAiSdk(agent),
      prompt: "Rain?",
      temperature: 0.5,
      maxOutputTokens: 50,
      stopSequences: ["END"],
      output: Output.object({ schema: jsonSchema<{ rain: boolean }>({ type: "object", properties: {} }) }),
    });

    expect(output).toEqual({ rain: true });
    expect(model.calls[0]?.options).toMatchObject({ temperature: 0.5, maxTokens: 50, stop: ["END"] });
    expect(model.calls[0]?.options?.responseFormat).toMatchObject({ type: "json_schema" });
  });

  it("continues the session that providerOptions names, with the last message alone", async () => {
    const model = new ScriptedModel("Hi.", "Yes.");
    const agent = new Agent({ name: "helper", model, storage: new InMemoryStorage() });
    const providerOptions = { troupe: { sessionId: "s1" } };
    await generateText({ model: toAiSdk(agent), prompt: "Hello", providerOptions });
    await generateText({ model: toAiSdk(agent), prompt: "And now?", providerOptions });

    expect(model.calls[1]?.messages.map(({ content }) => content)).toEqual(["Hello", "Hi.", "And now?"]);
  });

  it("lets the host's runOptions of each call go before those of the call", async () => {
    const model = new ScriptedModel("Hi.", "Yes.");
    const agent = new Agent({ name: "helper", model, storage: new InMemoryStorage() });
    const ids = ["1", "2"].map((last) => `00000000-0000-4000-8000-00000000000${last}`);
    const [left, response]: [string[], string[]] = [[...ids], []];
    const languageModel = toAiSdk(agent, {
      runOptions: async () => await Promise.resolve({ sessionId: "own", runId: left.shift() }),
    });
    for (const prompt of ["Hello", "And now?"]) {
      const providerOptions = { troupe: { sessionId: `given-${response.length}` } };
      response.push((await generateText({ model: languageModel, prompt, providerOptions })).response.id);
    }

    expect(response).toEqual(ids);
    expect(model.calls[1]?.messages.map(({ content }) => content)).toEqual(["Hello", "Hi.", "And now?"]);
  });

  it("warns of tools and settings that an agent does not take", async () => {
    const { agent } = agentWith("Yes.");
    const { warnings } = await generateText({
      model: toAiSdk(agent),
      prompt: "Hello",
      topK: 5,
      tools: { look: tool({ inputSchema: jsonSchema({ type: "object", properties: {} }) }) },
    });

    expect(warnings).toMatchObject([
      { type: "unsupported", feature: "topK" },
      { type: "unsupported", feature: "tools" },
    ]);
  });

  it("rejects a prompt that does not end with a message of the user", async () => {
    const { agent } = agentWith();
    const call = toAiSdk(agent).doGenerate({
      prompt: [{ role: "assistant", content: [{ type: "text", text: "Hi." }] }],
    });

    await expect(call).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("ends the run when its stream is cancelled", async () => {
    const { agent } = agentWith({ text: ["one", "two", "three"], chunkDelayMs: 5 });
    const ended = new Promise((resolve) => agent.eventBus.on("run.error", resolve));
    const prompt = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];
    const { stream } = await toAiSdk(agent).doStream({ prompt });
    for await (const part of stream) if (part.type === "text-delta") break;

    expect(await ended).toMatchObject({ error: { code: "cancelled" } });
  });

  it("streams the error of a failed run as its last part", async () => {
    const { agent } = agentWith({ error: new Error("no") });
    const { stream } = await toAiSdk(agent).doStream({ prompt: [{ role: "user", content: "Hello" }] });
    const parts = await Array.fromAsync(stream);

    expect(parts.map(({ type }) => type)).toEqual(["stream-start", "response-metadata", "error"]);
  });
});
