import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent, fallbackModel } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { models } from "./vendor-events.ts";
import type { Dialect } from "./vendor-events.ts";

/** The error that a vendor sends for a request longer than its model's context, and the limit in the error, if any. */
type Refused = [what: string, dialect: Dialect, status: number, body: object, limit?: number];

const ofOpenAI = (message: string, more: object = {}): object => ({
  error: { message, type: "invalid_request_error", param: "messages", code: null, ...more },
});
const ofGoogle = (message: string): object => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });
const ofAnthropic = (message: string): object => ({ type: "error", error: { type: "invalid_request_error", message } });

const refusals: Refused[] = [
  [
    "OpenAI's Responses",
    "Responses",
    400,
    ofOpenAI("Your input exceeds the context window of this model. Please adjust your input and try again.", {
      code: "context_length_exceeded",
    }),
  ],
  ["a code alone", "Responses", 400, ofOpenAI("No.", { code: "context_length_exceeded" })],
  [
    "OpenAI's Chat Completions",
    "Chat",
    400,
    ofOpenAI("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", {
      code: "context_length_exceeded",
    }),
    8192,
  ],
  [
    "vLLM",
    "Chat",
    400,
    {
      object: "error",
      message:
        "You passed 5000 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 3996 tokens.",
      type: "BadRequestError",
      code: 400,
    },
    4096,
  ],
  [
    "vLLM of another version",
    "Chat",
    400,
    { message: "The decoder prompt (length 9000) is longer than the maximum model length of 4096." },
    4096,
  ],
  [
    "llama.cpp",
    "Chat",
    400,
    {
      error: {
        code: 400,
        message: "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 5000,
        n_ctx: 4096,
      },
    },
    4096,
  ],
  [
    "llama.cpp, in a field alone",
    "Chat",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
        n_ctx: 4096,
      },
    },
    4096,
  ],
  [
    "LM Studio",
    "Chat",
    400,
    {
      error:
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    },
    4096,
  ],
  [
    "xAI",
    "Chat",
    400,
    { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    131_072,
  ],
  [
    "Mistral",
    "Chat",
    400,
    {
      message: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    },
    32_768,
  ],
  [
    "TGI",
    "Chat",
    422,
    {
      error: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3000",
      error_type: "validation",
    },
    2048,
  ],
  ["Anthropic", "Anthropic", 400, ofAnthropic("prompt is too long: 215000 tokens > 200000 maximum"), 200_000],
  [
    "Anthropic, with its answer",
    "Anthropic",
    400,
    ofAnthropic("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length"),
    200_000,
  ],
  ["Bedrock", "Anthropic", 400, { message: "Input is too long for requested model." }],
  [
    "Google",
    "Gemini",
    400,
    ofGoogle("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
    1_048_575,
  ],
  [
    "Google Cloud",
    "Gemini",
    400,
    ofGoogle("Unable to submit request because the input token count is 40000 but model only supports up to 32768."),
    32_768,
  ],
  ["Ollama", "Ollama", 400, { error: "the input length exceeds the context length" }],
  ["Ollama, as its own failure", "Ollama", 500, { error: "input length exceeds maximum context length" }],
];

/** Starts a vendor that refuses so, and counts its requests. */
async function refusing(status: number, body: object): Promise<FakeVendor> {
  const vendor = await FakeVendor.start({ strict: false });
  onTestFinished(() => vendor.close());
  const frames = [JSON.stringify(body)];
  vendor.respond(() => ({ raw: { status, headers: { "content-type": "application/json" }, frames } }));
  return vendor;
}

describe("a request that is longer than its model takes", () => {
  it.each(refusals)(
    "fails with its own code and the limit, in our words, and is made once: %s [errors.context-too-long]",
    async (...[, dialect, status, body, limit]) => {
      const vendor = await refusing(status, body);
      const model = models[dialect](vendor.url);
      const agent = new Agent({ name: "a", model, retry: { maxRetries: 2, initialDelayMs: 1 } });
      const { providerId } = model;
      const than = limit === undefined ? "" : `, which is ${limit} tokens`;

      for (const failed of [agent.run("Hi"), agent.stream("Hi").output]) {
        const error: unknown = await failed.catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({
          code: "context_too_long",
          message: `${providerId} refused the request: it is longer than the context of the model${than}. Shorten the input or the conversation.`,
        });
        const fields = { vendor: providerId, status, ...(limit !== undefined && { limit }) };
        expect((error as { fields: object }).fields).toEqual(fields);
      }
      expect(vendor.exchanges).toHaveLength(2);
    },
  );

  it("is passed on by a fallback model to the next one [errors.context-too-long]", async () => {
    const vendor = await refusing(400, ofOpenAI("No.", { code: "context_length_exceeded" }));
    const model = fallbackModel(models.Chat(vendor.url), new ScriptedModel("Longer.", "Longer."));

    expect((await new Agent({ name: "a", model }).run("Hi")).text).toBe("Longer.");
    expect((await new Agent({ name: "a", model }).stream("Hi").output).text).toBe("Longer.");
  });

  it.each<Refused>([
    ["a wrong value", "Chat", 400, ofOpenAI("max_tokens is too large: 99999.")],
    ["a rate", "Chat", 429, ofOpenAI("Too many tokens, please wait: maximum context length of the tier.")],
    ["a refused key", "Chat", 401, ofOpenAI("The prompt is too long for this key.")],
    ["an argument that is none", "Gemini", 400, ofGoogle("Request contains an invalid argument.")],
  ])("is not seen in %s [errors.context-too-long]", async (...[, dialect, status, body]) => {
    const vendor = await refusing(status, body);
    const agent = new Agent({ name: "a", model: models[dialect](vendor.url), retry: { maxRetries: 0 } });

    await expect(agent.run("Hi")).rejects.not.toMatchObject({ code: "context_too_long" });
  });
});
