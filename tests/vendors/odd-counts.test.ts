import { describe, expect, it } from "vitest";
import { anthropic, chat, gemini, ollama, read, responses } from "./vendor-events.ts";
import type { Answer, Dialect } from "./vendor-events.ts";

describe("a count of tokens that is no number", () => {
  const none = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  const nulls = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, null]));
  const ofResponses = nulls("input_tokens", "output_tokens", "total_tokens", "input_tokens_details");
  const ofChat = nulls("prompt_tokens", "completion_tokens", "total_tokens");
  const ofGemini = nulls("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "promptTokensDetails");

  it.each<[what: string, dialect: Dialect, answer: Answer]>([
    ["in Responses", "Responses", [responses.textDelta("Hi"), responses.completed({ usage: ofResponses })]],
    [
      "in a whole Responses answer",
      "Responses",
      {
        whole: {
          status: "completed",
          output: [responses.words("Hi")],
          usage: { ...ofResponses, output_tokens_details: { reasoning_tokens: "7" } },
        },
      },
    ],
    [
      "in Chat Completions",
      "Chat",
      [
        chat.delta({ content: "Hi" }),
        { ...chat.end, usage: { ...ofChat, prompt_tokens_details: { cached_tokens: null } } },
      ],
    ],
    [
      "in Chat Completions, below zero",
      "Chat",
      [
        chat.delta({ content: "Hi" }),
        { ...chat.end, usage: { prompt_tokens: -3, completion_tokens: -1, total_tokens: -4 } },
      ],
    ],
    [
      "in Anthropic's last event",
      "Anthropic",
      [
        { type: "message_start", message: { usage: null } },
        ...anthropic.block({ type: "text", text: "Hi" }),
        ...anthropic.ended(null),
      ],
    ],
    [
      "in Anthropic's counts",
      "Anthropic",
      [
        { type: "message_start", message: null },
        ...anthropic.block({ type: "text", text: "Hi" }),
        ...anthropic.ended({ input_tokens: "3", output_tokens: null }),
      ],
    ],
    [
      "in Gemini",
      "Gemini",
      [gemini.parts({ text: "Hi" }), { ...gemini.end, usageMetadata: { ...ofGemini, cachedContentTokenCount: null } }],
    ],
    [
      "in Ollama",
      "Ollama",
      [ollama.line({ content: "Hi" }), { ...ollama.end, prompt_eval_count: null, eval_count: "5" }],
    ],
  ])("is absent %s [usage.no-number]", async (_what, dialect, answer) => {
    const { text, usage } = await read(dialect, answer);
    const { providerMetrics: _, ...counts } = usage;

    expect(text).toBe("Hi");
    expect(counts).toEqual(none);
  });
});

describe("tokens of the prompt cache", () => {
  it.each<[dialect: Dialect, answer: Answer]>([
    [
      "Responses",
      [
        responses.completed({
          usage: {
            input_tokens: 100,
            output_tokens: 5,
            input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
          },
        }),
      ],
    ],
    [
      "Chat",
      [
        {
          ...chat.end,
          usage: {
            prompt_tokens: 100,
            completion_tokens: 5,
            prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
          },
        },
      ],
    ],
    [
      "Anthropic",
      [
        {
          type: "message_start",
          message: { usage: { input_tokens: 10, cache_read_input_tokens: 60, cache_creation_input_tokens: 30 } },
        },
        ...anthropic.ended(),
      ],
    ],
  ])(
    "are told apart as read and written, both as parts of the prompt, in %s [usage.cache-parts]",
    async (dialect, answer) => {
      const { usage } = await read(dialect, answer);

      expect(usage).toMatchObject({ promptTokens: 100, completionTokens: 5, totalTokens: 105 });
      expect(usage).toMatchObject({ cachedTokens: 60, cacheWriteTokens: 30 });
    },
  );
});

describe("an answer of Gemini", () => {
  it("is cut, and not filtered, when it ends with a block reason of null", async () => {
    const events = [gemini.parts({ text: "Hi" }), { promptFeedback: { blockReason: null } }];

    await expect(read("Gemini", events)).rejects.toMatchObject({ code: "model_failed", networkCode: "ECONNRESET" });
  });

  it("is an error of the vendor when it holds no candidate", async () => {
    for (const whole of [{}, { candidates: [] }, { candidates: null, usageMetadata: {} }]) {
      await expect(read("Gemini", { whole })).rejects.toMatchObject({
        code: "model_failed",
        message: "google sent an answer without content.",
      });
    }
  });
});

describe("an answer with status 200 that is none", () => {
  it.each<[what: string, dialect: Dialect, whole: object, message: string]>([
    ["no choice", "Chat", { choices: [] }, "openai sent an answer without content."],
    ["a choice without a message", "Chat", { choices: [{}] }, "openai sent an answer without content."],
    ["nothing", "Chat", {}, "openai sent an answer without content."],
    ["an error", "Chat", { error: { message: "No." } }, "openai answered with an error."],
    ["an error", "Responses", { error: { message: "No." } }, "openai answered with an error."],
    ["no candidate", "Gemini", { candidates: [] }, "google sent an answer without content."],
    ["an error", "Anthropic", { error: { message: "No." } }, "anthropic answered with an error."],
    ["an error", "Ollama", { error: "No." }, "ollama answered with an error."],
  ])("says what came, and no status: %s of %s [model-calls.no-answer]", async (...[, dialect, whole, message]) => {
    await expect(read(dialect, { whole })).rejects.toMatchObject({ code: "model_failed", message });
  });
});
