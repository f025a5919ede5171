import { createAnthropic } from "@ai-sdk/anthropic";
import { createGroq } from "@ai-sdk/groq";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { bodiesOf, FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent } from "@troupe/core";
import type { ModelOptions } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import { describe, expect, it, onTestFinished } from "vitest";
import { fromAiSdk } from "./index.ts";

const question = [{ role: "user" as const, content: "Umbrella?" }];

async function startVendor(): Promise<FakeVendor> {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  return vendor;
}

/** A model of specification v3 that records its calls and answers with `content`. */
function modelV3(content: object[] = [{ type: "text", text: "Yes." }], provider = "acme.chat") {
  const calls: LanguageModelV3CallOptions[] = [];
  const count = { inputTokens: { total: 3, noCache: 3 }, outputTokens: { total: 4, text: 4 } };
  const doGenerate = async (options: LanguageModelV3CallOptions) => {
    calls.push(options);
    const finishReason = { unified: "stop", raw: "stop" };
    const warnings = [{ type: "unsupported", feature: "seed", details: "not with Umbrella?" }];
    return { content, finishReason, usage: count, warnings };
  };
  const model = { specificationVersion: "v3", provider, modelId: "m-1", supportedUrls: {}, doGenerate };
  return { calls, model: { ...model, doStream: doGenerate } as unknown as LanguageModelV3 };
}

describe("fromAiSdk", () => {
  it.each([
    [
      "openai",
      "Bearer sk-caller",
      (url: string) => createOpenAI({ apiKey: "sk-own", baseURL: `${url}/v1` })("gpt-6.1-sol"),
    ],
    [
      "anthropic",
      "sk-caller",
      (url: string) => createAnthropic({ apiKey: "sk-own", baseURL: `${url}/v1` })("claude-opus-5-5"),
    ],
    ["groq", "Bearer sk-caller", (url: string) => createGroq({ apiKey: "sk-own", baseURL: `${url}/v1` })("llama-4")],
  ])("sends a caller's key instead of the model's own to %s", async (_, sent, make) => {
    const vendor = await startVendor();
    vendor.say("Yes.");
    await fromAiSdk(make(vendor.url)).generate(question, { apiKey: "sk-caller" });

    const headers = vendor.exchanges[0]?.request.headers ?? {};
    expect([headers["authorization"], headers["x-api-key"]]).toContain(sent);
    expect(JSON.stringify(headers)).not.toContain("sk-own");
  });

  it("rejects a caller's key for a model that takes none, and says how to take it", async () => {
    const { model, calls } = modelV3();
    const call = fromAiSdk(model).generate(question, { apiKey: "sk-caller" });

    await expect(call).rejects.toMatchObject({
      code: "invalid_request",
      message:
        "acme is called through a model of the AI SDK with its own key. Send no API key, or set withKey of fromAiSdk.",
    });
    expect(calls).toEqual([]);
  });

  it("makes the model of a caller's key once, with withKey", async () => {
    const { model } = modelV3();
    const made: string[] = [];
    const withKey = (apiKey: string) => (made.push(apiKey), modelV3().model);
    const provider = fromAiSdk(model, { withKey });
    for (const apiKey of ["sk-1", "sk-1", "sk-2"]) await provider.generate(question, { apiKey });

    expect(made).toEqual(["sk-1", "sk-2"]);
  });

  it("writes the options of a call in the form of specification v3", async () => {
    const { model, calls } = modelV3();
    const options: ModelOptions = {
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 50,
      stop: ["END"],
      seed: 7,
      responseFormat: { type: "json_schema", schema: { type: "object" }, name: "rain" },
      vendor: { acme: { fast: true }, other: { slow: true } },
    };
    const image = { type: "image" as const, data: "iVBORw0KGgo=" };
    await fromAiSdk(model).generate([{ role: "user", content: [{ type: "text", text: "See." }, image] }], options);

    const { abortSignal: _, ...given } = calls[0] ?? {};
    expect(given).toEqual({
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 50,
      stopSequences: ["END"],
      seed: 7,
      responseFormat: { type: "json", schema: { type: "object" }, name: "rain" },
      providerOptions: { acme: { fast: true } },
      prompt: [
        {
          role: "user",
          content: [
            { type: "text", text: "See." },
            { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" },
          ],
        },
      ],
    });
  });

  it.each(["generate", "stream"] as const)(
    "asks again with the files of the last message alone where the package refuses a file, for %s",
    async (method) => {
      const { model } = modelV3();
      const prompts: unknown[] = [];
      const refuse = async ({ prompt }: LanguageModelV3CallOptions) => {
        prompts.push(prompt);
        const name = "AI_UnsupportedFunctionalityError";
        return await Promise.reject(Object.assign(new Error("No."), { name, functionality: "file" }));
      };
      Object.assign(model, { doGenerate: refuse, doStream: refuse });
      const seen = (data: string) => [{ type: "image" as const, data, mimeType: "image/png" }];
      const messages = [
        { role: "user" as const, content: seen("QQ==") },
        { role: "assistant" as const, content: "An A." },
        { role: "user" as const, content: seen("Qg==") },
      ];
      const asked = fromAiSdk(model);
      const call = method === "generate" ? asked.generate(messages) : collectResponse(asked.stream(messages));
      await expect(call).rejects.toMatchObject({ code: "unsupported_media_type" });

      const sent = prompts.map((prompt) => ["QQ==", "Qg=="].filter((data) => JSON.stringify(prompt).includes(data)));
      expect(sent).toEqual([["QQ==", "Qg=="], ["Qg=="]]);
    },
  );

  it("reports a warning of the package as run.warning, without the package's words", async () => {
    const agent = new Agent({ name: "helper", model: fromAiSdk(modelV3().model) });
    const warnings: unknown[] = [];
    agent.eventBus.on("run.warning", (warning) => void warnings.push(warning));
    await agent.run("Umbrella?");

    expect(warnings).toMatchObject([{ message: expect.stringContaining("seed") }]);
    expect(JSON.stringify(warnings)).not.toContain("Umbrella");
  });

  it("reads sources, reasoning and calls of the vendor's own tools, and stores those calls", async () => {
    const { model } = modelV3([
      { type: "reasoning", text: "Rain?", providerMetadata: { acme: { signature: "s" } } },
      { type: "tool-call", toolCallId: "1", toolName: "search", input: "{}", providerExecuted: true },
      { type: "tool-result", toolCallId: "1", toolName: "search", result: { found: 1 } },
      { type: "source", sourceType: "url", id: "a", url: "https://example.com/a", title: "A" },
      { type: "text", text: "Yes." },
    ]);
    const { text, thinking, toolCalls, sources, vendorState } = await fromAiSdk(model).generate(question);

    expect([text, thinking, toolCalls]).toEqual(["Yes.", "Rain?", []]);
    expect(sources).toEqual([{ id: "a", url: "https://example.com/a", title: "A" }]);
    expect(vendorState).toMatchObject({ providerId: "acme", modelId: "m-1", stored: true });
  });

  it("shows the thinking of OpenAI and Anthropic where reasoning is asked for", async () => {
    const vendor = await startVendor();
    const models = [
      createOpenAI({ apiKey: "sk", baseURL: `${vendor.url}/v1` })("gpt-6.1-sol"),
      createAnthropic({ apiKey: "sk", baseURL: `${vendor.url}/v1` })("claude-opus-5-5"),
    ];
    const thoughts: unknown[] = [];
    for (const model of models) {
      vendor.say({ thinking: "It will rain.", text: "Yes." });
      const options: ModelOptions = { reasoning: { enabled: true, effort: "low" } };
      thoughts.push((await collectResponse(fromAiSdk(model).stream(question, options))).thinking);
    }

    expect(thoughts).toEqual(["It will rain.", "It will rain."]);
  });

  it("stores nothing at OpenAI", async () => {
    const vendor = await startVendor();
    vendor.say("Yes.");
    await fromAiSdk(createOpenAI({ apiKey: "sk", baseURL: `${vendor.url}/v1` })("gpt-6.1-sol")).generate(question);

    expect(bodiesOf(vendor)).toMatchObject([{ store: false }]);
  });

  it("makes embeddings of an embedding model, in batches of its size", async () => {
    const batches: string[][] = [];
    const doEmbed = async ({ values }: { values: string[] }) => {
      batches.push(values);
      return { embeddings: values.map((value) => [value.length, 1]), warnings: [] };
    };
    const model = {
      specificationVersion: "v4",
      provider: "acme.embedding",
      modelId: "e-1",
      maxEmbeddingsPerCall: 2,
      doEmbed,
    };
    const vectors = await fromAiSdk(model).embedBatch(["a", "bb", "ccc"]);

    expect(batches).toEqual([["a", "bb"], ["ccc"]]);
    expect(vectors).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
  });

  it.each([
    [undefined, [256, 256, 256, 256]],
    [0, [256, 256, 256, 256]],
    [Infinity, [2048]],
    [5000, [2048]],
    [2048, [2048]],
    [2047, [2047, 2]],
  ])("sends a model that takes %j texts at once these numbers of texts: %j", async (most, sizes) => {
    const batches: number[] = [];
    const doEmbed = async ({ values }: { values: string[] }) => {
      batches.push(values.length);
      return { embeddings: values.map(() => [1, 2]), warnings: [] };
    };
    const about = { specificationVersion: "v4", provider: "acme.embedding", modelId: "e-1" };
    const model = { ...about, maxEmbeddingsPerCall: Promise.resolve(most), doEmbed };
    await fromAiSdk(model).embedBatch(Array.from({ length: 2049 }, (_, index) => `${index}`));

    expect(batches.slice(0, sizes.length)).toEqual(sizes);
    expect(batches.reduce((sum, size) => sum + size)).toBe(2049);
  });

  it.each([
    ["a model of specification v2", { ...modelV3().model, specificationVersion: "v2" }, /v3 or v4 .* got v2/],
    ["an id", "openai/gpt-6", /needs a model object/],
    ["anything else", { modelId: "a" }, /needs a model of the AI SDK/],
  ])("rejects %s", (_, model, message) => {
    expect(() => fromAiSdk(model as never)).toThrow(message);
  });

  it.each([
    ["v3", { dimensions: 2 }, "dimensions needs a model of specification v4 of the AI SDK, got v3."],
    ["v4", { dimensions: 0 }, "dimensions must be"],
  ])("refuses wrong dimensions of an embedding model of specification %s", (specificationVersion, options, message) => {
    const doEmbed = async () => await Promise.resolve({ embeddings: [] });
    const model = { specificationVersion, provider: "acme.embedding", modelId: "e", doEmbed };

    expect(() => fromAiSdk(model, options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }),
    );
  });

  it("refuses URLs that the vendor would not fetch, before the model is called", async () => {
    const { model, calls } = modelV3();
    const image = { type: "image" as const, data: "https://example.com/a.png" };
    const call = fromAiSdk(model).generate([{ role: "user", content: [image] }]);

    await expect(call).rejects.toMatchObject({ code: "unsupported_media_type" });
    expect(calls).toEqual([]);
  });
});
