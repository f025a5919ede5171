import type { ChatMessage, ModelOptions } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { failureOf, streamed } from "../test/ask.ts";
import { openai, openaiEmbeddings } from "./index.ts";

const isLive = process.env["TROUPE_LIVE"] === "1";
const hasKey = (process.env["OPENAI_API_KEY"] ?? "") !== "";
const isSkipped = !isLive || !hasKey;
const whyNot = isLive ? "OPENAI_API_KEY is not set" : "TROUPE_LIVE is not 1";

const models = [
  { modelId: "gpt-6.1-sol", api: "responses" },
  { modelId: "gpt-5.6-luna", api: "responses" },
  { modelId: "gpt-4.1", api: "responses" },
  { modelId: "gpt-4.1", api: "chat" },
] as const;
const embeddingModels = ["text-embedding-3-small", "text-embedding-3-large"];

if (isSkipped) {
  const names = [...models.map(({ modelId, api }) => `${modelId} (${api})`), ...embeddingModels].join(", ");
  process.stdout.write(`openai's live tests of ${names} are skipped: ${whyNot}\n`);
}

const say = (content: string): ChatMessage[] => [{ role: "user", content }];
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ name: "get_weather", description: "Tells the weather of a city.", parameters }];

describe.skipIf(isSkipped).each(models)("OpenAI's real $modelId over $api", { timeout: 120_000 }, (setup) => {
  const model = openai(setup.modelId, { api: setup.api });

  it("answers whole and streamed, and counts", async () => {
    const options = { temperature: 0, topP: 1, maxTokens: 2000 };
    const whole = await model.generate(say("Say only: umbrella"), options);
    const chunks = await streamed(model, options, say("Say only: umbrella"));

    expect(whole.text.toLowerCase()).toContain("umbrella");
    expect(whole.usage.totalTokens).toBeGreaterThan(0);
    expect(chunks.at(-1)).toMatchObject({
      type: "finish",
      finishReason: "stop",
      usage: { promptTokens: expect.any(Number) },
    });
  });

  it("thinks, calls a tool, and takes its thinking back with the result", async () => {
    const options: ModelOptions = { tools, reasoning: { enabled: true, effort: "low" } };
    const question = say("What is the weather like in Oslo? Ask the tool.");
    const { text, toolCalls, vendorState } = await collectResponse(model.stream(question, options));
    const answer: ModelMessage = {
      role: "assistant",
      content: text || null,
      toolCalls,
      ...(vendorState && { vendorState }),
    };
    const results = toolCalls.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: "It rains." }));
    const { finishReason } = await model.generate([...question, answer, ...results], options);

    expect(toolCalls.map(({ name }) => name)).toEqual(["get_weather"]);
    expect(finishReason).toBe("stop");
  });

  it.each([
    ["strict", { additionalProperties: false, required: ["rain", "degrees"] }],
    ["loose", { required: ["rain"] }],
  ])("keeps to a schema that is %s", async (_how, more) => {
    const properties = { rain: { type: "boolean" }, degrees: { type: "integer" } };
    const schema = { type: "object", properties, ...more };
    const { text } = await model.generate(say("It rains at 9 degrees."), {
      responseFormat: { type: "json_schema", schema },
    });

    expect(JSON.parse(text)).toMatchObject({ rain: true });
  });

  it("answers with JSON", async () => {
    const { text } = await model.generate(say("The colours of the sky and of grass."), { responseFormat: "json" });

    expect(JSON.parse(text)).toBeTypeOf("object");
  });

  it("refuses a wrong key as the caller's", async () => {
    const error = await failureOf(model.generate(say("Hi"), { apiKey: "sk-wrong" }));

    expect(error).toMatchObject({ code: "unauthorized", status: 401 });
  });
});

describe.skipIf(isSkipped).each(embeddingModels)("OpenAI's real %s", { timeout: 120_000 }, (model) => {
  it("embeds, at its own length and at a shorter one", async () => {
    const embeddings = openaiEmbeddings({ model });
    const [one, other] = await embeddings.embedBatch(["Rain in Oslo", "Invoices are due"]);
    const short = await openaiEmbeddings({ model, dimensions: 256 }).embed("Rain in Oslo");

    expect([one?.length, other?.length]).toEqual([embeddings.dimensions, embeddings.dimensions]);
    expect(one).not.toEqual(other);
    expect(short).toHaveLength(256);
  });
});
