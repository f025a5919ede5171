import type { ChatMessage, ModelProvider } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { gather } from "../test/vendor.ts";
import { anthropic } from "./index.ts";

const isLive = process.env["TROUPE_LIVE"] === "1";
const hasKey = (process.env["ANTHROPIC_API_KEY"] ?? "") !== "";
const whyNot = isLive ? "ANTHROPIC_API_KEY is not set" : "TROUPE_LIVE is not 1";

const models = ["claude-haiku-4-5", "claude-opus-4-6", "claude-haiku-5-5", "claude-opus-5-5"];
const tools = [
  {
    name: "get_weather",
    description: "Tells the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];
const ask = (content: string): ChatMessage[] => [{ role: "user", content }];

if (!isLive || !hasKey) process.stdout.write(`anthropic's live tests of ${models.join(", ")} are skipped: ${whyNot}\n`);

describe.skipIf(!isLive || !hasKey).each(models)("anthropic's real %s", { timeout: 120_000 }, (modelId) => {
  const model: ModelProvider = anthropic(modelId);

  it("answers whole and streamed, and counts", async () => {
    const whole = await model.generate(ask("Say only: umbrella"), { temperature: 0 });
    const { chunks, error } = await gather(model.stream(ask("Say only: umbrella")));

    expect(whole.text.toLowerCase()).toContain("umbrella");
    expect(whole.usage.totalTokens).toBeGreaterThan(0);
    expect([error, chunks.at(-1)]).toMatchObject([undefined, { type: "finish", finishReason: "stop" }]);
  });

  it("thinks, calls a tool, and takes its thinking back with the result", async () => {
    const options = { tools, reasoning: { enabled: true, budgetTokens: 2048 } };
    const question = ask("What is the weather like in Oslo? Ask the tool.");
    const { text, toolCalls, vendorState } = await model.generate(question, options);
    const answer: ModelMessage = { role: "assistant", content: text, toolCalls, ...(vendorState && { vendorState }) };
    const results = toolCalls.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: "It rains." }));

    const { finishReason } = await model.generate([...question, answer, ...results], options);

    expect(toolCalls.map(({ name }) => name)).toEqual(["get_weather"]);
    expect(finishReason).toBe("stop");
  });

  it("keeps to a schema", async () => {
    const schema = {
      type: "object",
      properties: { rain: { type: "boolean" }, degrees: { type: "integer", minimum: -50 } },
      required: ["rain", "degrees"],
    };
    const { text } = await model.generate(ask("It rains at 9 degrees."), {
      responseFormat: { type: "json_schema", schema },
    });

    expect(JSON.parse(text)).toEqual({ rain: true, degrees: 9 });
  });

  it("takes a history with calls when no tools are given", async () => {
    const history: ChatMessage[] = [
      ...ask("Umbrella in Oslo?"),
      {
        role: "assistant",
        content: null,
        toolCalls: [{ id: "call:1", name: "get_weather", arguments: { city: "Oslo" } }],
      },
      { role: "tool", toolCallId: "call:1", content: "rain" },
    ];

    expect((await model.generate(history)).text).not.toBe("");
  });

  it("refuses a wrong key as the caller's", async () => {
    const refused = model.generate(ask("Hi"), { apiKey: "sk-ant-wrong" });

    await expect(refused).rejects.toMatchObject({ code: "unauthorized", status: 401 });
  });
});
