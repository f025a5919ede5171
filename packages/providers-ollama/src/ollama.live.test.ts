import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { gather } from "../test/vendor.ts";
import { ollama } from "./index.ts";

const isLive = process.env["TROUPE_LIVE"] === "1";
const baseURL = process.env["TROUPE_OLLAMA_URL"] ?? "http://127.0.0.1:11434";
const modelId = process.env["TROUPE_OLLAMA_MODEL"] ?? "qwen3:0.6b";

const tools = [
  {
    name: "get_weather",
    description: "Tells the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];
const ask = (content: string): ChatMessage[] => [{ role: "user", content }];

/** The reason why the server cannot be asked, if it cannot. */
async function obstacle(): Promise<string | undefined> {
  if (!isLive) return "TROUPE_LIVE is not 1";
  const reply = await fetch(`${baseURL}/api/tags`).catch(() => undefined);
  if (reply?.ok !== true) return `no server answers at ${baseURL} (TROUPE_OLLAMA_URL)`;
  const { models } = (await reply.json()) as { models: { name: string }[] };
  return models.some(({ name }) => name === modelId) ? undefined : "the server has no such model (TROUPE_OLLAMA_MODEL)";
}

const whyNot = await obstacle();
if (whyNot !== undefined) process.stdout.write(`ollama's live tests of ${modelId} are skipped: ${whyNot}\n`);

describe.skipIf(whyNot !== undefined)(`a real ${modelId}, which thinks and calls tools`, { timeout: 300_000 }, () => {
  const model: ModelProvider = ollama(modelId, { baseURL, contextLength: 8192 });

  it("answers whole and streamed, and counts", async () => {
    const options: ModelOptions = { temperature: 0, topP: 1, maxTokens: 2000, reasoning: { enabled: false } };
    const whole = await model.generate(ask("Say only: umbrella"), options);
    const { chunks, error } = await gather(model.stream(ask("Say only: umbrella"), options));

    expect(whole.text.toLowerCase()).toContain("umbrella");
    expect([whole.thinking, whole.usage.completionTokens > 0]).toEqual([undefined, true]);
    expect([error, chunks.at(-1)]).toMatchObject([undefined, { type: "finish", finishReason: "stop" }]);
  });

  it("thinks, calls a tool, and takes its thinking back with the result", async () => {
    const options: ModelOptions = { tools, reasoning: { enabled: true } };
    const question = ask("What is the weather like in Oslo? Ask the tool.");
    const { text, thinking, toolCalls, vendorState } = await model.generate(question, options);
    const answer: ModelMessage = { role: "assistant", content: text, toolCalls, ...(vendorState && { vendorState }) };
    const results = toolCalls.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: "It rains." }));
    const { finishReason } = await model.generate([...question, answer, ...results], options);

    expect(thinking).not.toBe("");
    expect(toolCalls.map(({ name }) => name)).toEqual(["get_weather"]);
    expect(finishReason).toBe("stop");
  });

  it("keeps to a schema", async () => {
    const properties = { rain: { type: "boolean" }, degrees: { type: "integer", minimum: -50 } };
    const schema = { type: "object", properties, required: ["rain", "degrees"] };
    const { text } = await model.generate(ask("It rains at 9 degrees."), {
      responseFormat: { type: "json_schema", schema },
    });

    expect(JSON.parse(text)).toEqual({ rain: true, degrees: 9 });
  });

  it("says of a model that it does not have how to get it", async () => {
    const asked = ollama("troupe-has-no-such-model", { baseURL }).generate(ask("Hi"));

    await expect(asked).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("ollama pull"),
    });
  });
});
