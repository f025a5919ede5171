import type { ChatMessage, ModelProvider } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { gather } from "../test/vendor.ts";
import { google } from "./index.ts";

const isLive = process.env["TROUPE_LIVE"] === "1";
const hasKey = ["GOOGLE_API_KEY", "GEMINI_API_KEY"].some((name) => (process.env[name] ?? "") !== "");
const whyNot = isLive ? "neither GOOGLE_API_KEY nor GEMINI_API_KEY is set" : "TROUPE_LIVE is not 1";

const models = ["gemini-2.5-flash", "gemini-2.5-pro", "gemini-flash-latest", "gemini-pro-latest"];
const tools = [
  {
    name: "get_weather",
    description: "Tells the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string", minLength: 1 } }, required: ["city"] },
  },
];
const ask = (content: string): ChatMessage[] => [{ role: "user", content }];

if (!isLive || !hasKey) process.stdout.write(`google's live tests of ${models.join(", ")} are skipped: ${whyNot}\n`);

describe.skipIf(!isLive || !hasKey).each(models)("google's real %s", { timeout: 120_000 }, (modelId) => {
  const model: ModelProvider = google(modelId);

  it("answers whole and streamed, and counts", async () => {
    const whole = await model.generate(ask("Say only: umbrella"));
    const { chunks, error } = await gather(model.stream(ask("Say only: umbrella")));

    expect(whole.text.toLowerCase()).toContain("umbrella");
    expect(whole.usage.totalTokens).toBeGreaterThan(0);
    expect([error, chunks.at(-1)]).toMatchObject([undefined, { type: "finish", finishReason: "stop" }]);
  });

  it.each([true, false])(
    "thinks, calls tools side by side, and takes what it signed back with the results: %j",
    async (isKept) => {
      const options = { tools, reasoning: { enabled: true, budgetTokens: 2048 } };
      const question = ask("What is the weather like in Oslo and in Bergen? SdkCall the tool for both at once.");
      const { text, toolCalls, vendorState } = await model.generate(question, options);
      const said = { role: "assistant" as const, content: text, toolCalls };
      const answer: ModelMessage = { ...said, ...(isKept && vendorState && { vendorState }) };
      const results = toolCalls.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: "It rains." }));

      const { finishReason } = await model.generate([...question, answer, ...results], options);

      expect(new Set(toolCalls.map(({ name }) => name))).toEqual(new Set(["get_weather"]));
      expect(["stop", "tool_calls"]).toContain(finishReason);
    },
  );

  it("keeps to a schema", async () => {
    const schema = {
      type: "object",
      properties: { rain: { type: "boolean" }, degrees: { type: "integer", minimum: -50 } },
      required: ["rain", "degrees"],
      additionalProperties: false,
    };
    const { text } = await model.generate(ask("It rains at 9 degrees."), {
      responseFormat: { type: "json_schema", schema },
    });

    expect(JSON.parse(text)).toEqual({ rain: true, degrees: 9 });
  });

  it("takes another vendor's history with calls when no tools are given, and greetings after results", async () => {
    const toolCalls = [{ id: "call:1", name: "get_weather", arguments: { city: "Oslo" } }];
    const history: ChatMessage[] = [
      ...ask("Umbrella in Oslo?"),
      { role: "assistant", content: null, toolCalls },
      { role: "tool", toolCallId: "call:1", content: "rain" },
      ...ask("Well?"),
    ];

    expect((await model.generate(history)).text).not.toBe("");
  });

  it("refuses a wrong key as the caller's", async () => {
    const refused = model.generate(ask("Hi"), { apiKey: "AIza-wrong" });

    await expect(refused).rejects.toMatchObject({ code: "unauthorized", status: 401 });
  });
});
