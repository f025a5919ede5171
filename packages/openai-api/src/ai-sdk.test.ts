import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { scripted, teller, weatherTool, weatherTurns } from "../test/agents.ts";
import { serve } from "../test/serve.ts";

const getTime = tool({
  description: "Tells the time.",
  inputSchema: jsonSchema<{ zone?: string }>({ type: "object", properties: { zone: { type: "string" } } }),
  execute: () => "12:00",
});

/** An agent whose model calls the client's tool, and then answers. */
function timeTeller(): Agent {
  const model = new ScriptedModel({ toolCalls: [{ name: "get_time", arguments: { zone: "UTC" } }] }, "Noon.");
  return new Agent({ name: "helper", model, storage: new InMemoryStorage() });
}

describe.each(["chat", "responses", "compatible"] as const)("the AI SDK with its %s model", (kind) => {
  const modelOf = (url: string, name: string) => {
    if (kind === "compatible") {
      return createOpenAICompatible({ name: "troupe", baseURL: `${url}/v1`, apiKey: "x", includeUsage: true })(name);
    }
    return createOpenAI({ baseURL: `${url}/v1`, apiKey: "x" })[kind](name);
  };

  it("generates text of an agent with tools of its own", async () => {
    const { tool: weather, asked } = weatherTool();
    const { url } = await serve({ agents: { helper: scripted(weatherTurns, { tools: [weather] }).agent } });
    const { text, toolCalls, finishReason } = await generateText({ model: modelOf(url, "helper"), prompt: "Hi" });
    expect(text).toContain("It rains.");
    expect([finishReason, asked]).toEqual(["stop", [{ city: "Oslo" }]]);
    expect(toolCalls.filter(({ providerExecuted }) => providerExecuted !== true)).toEqual([]);
  });

  it("streams text, with its usage", async () => {
    const { url } = await serve({ agents: { helper: scripted([{ text: ["Hel", "lo."] }]).agent } });
    const result = streamText({ model: modelOf(url, "helper"), prompt: "Hi" });
    expect(await result.text).toBe("Hello.");
    expect((await result.usage).totalTokens).toBeGreaterThan(0);
  });

  it("executes the client's own tools, step by step", async () => {
    const { url } = await serve({ agents: { helper: timeTeller() } });
    const { text, steps } = await generateText({
      model: modelOf(url, "helper"),
      prompt: "Time?",
      tools: { get_time: getTime },
      stopWhen: stepCountIs(3),
    });
    expect([text, steps.length]).toEqual(["Noon.", 2]);
  });

  it("executes the client's own tools in a stream", async () => {
    const { url } = await serve({ agents: { helper: timeTeller() } });
    const result = streamText({
      model: modelOf(url, "helper"),
      prompt: "Time?",
      tools: { get_time: getTime },
      stopWhen: stepCountIs(3),
    });
    expect(await result.text).toBe("Noon.");
  });

  it("takes the conversation that the client keeps", async () => {
    const { url } = await serve({ agents: { teller: teller() } });
    const messages = [
      { role: "user", content: "one" },
      { role: "assistant", content: "Un." },
      { role: "user", content: "two" },
    ] as const;
    const { text } = await generateText({ model: modelOf(url, "teller"), messages: [...messages] });
    expect(text).toBe("one; two");
  });
});
