import type { ChatMessage } from "@troupe/core";
import { createLogger } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";
import type { GoogleOptions } from "./index.ts";

const ask: ChatMessage[] = [{ role: "user", content: "Umbrella?" }];
const weather = {
  name: "get_weather",
  description: "Tells the weather",
  parameters: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { city: { type: "string", minLength: 1 } },
    required: ["city"],
    additionalProperties: false,
  },
};
const asked = [{ role: "user", parts: [{ text: "Umbrella?" }] }];

type Case = { modelId?: string; messages?: ChatMessage[]; options?: ModelCallOptions; provider?: GoogleOptions };

/** The body that arrives at a strict vendor, and the options that are said to be left out. */
async function arrives({ modelId, messages = ask, options, provider }: Case = {}) {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
  await connect(modelId, { logger, ...provider }).generate(messages, options);
  const [body] = bodiesOf(vendor);
  return { body, config: body?.["generationConfig"], request: vendor.exchanges[0]?.request, lines };
}

describe("cached content that the caller names", () => {
  const vendor = { google: { cachedContent: "cachedContents/guide" } };
  const system: ChatMessage = { role: "system", content: "Be short." };
  const facts: ChatMessage = { role: "system", content: "Ada likes rain." };
  const options: ModelCallOptions = { vendor, tools: [weather], toolChoice: "required", temperature: 0 };

  it("stands in place of instructions and tools, which the vendor refuses beside it [cache.cached-content]", async () => {
    const omitted: string[] = [];
    const onOmitted: ModelCallOptions["onOmitted"] = ({ what }) => void omitted.push(what);
    const plain = await arrives({ messages: [system, ...ask], options: { ...options, onOmitted } });

    expect(plain.body).toEqual({ contents: asked, generationConfig: { temperature: 0 }, ...vendor.google });
    expect(omitted).toEqual([]);
    expect(plain.lines.join()).toContain("instructions and the tools");
  });

  it("takes no facts and memory, which is reported [cache.cached-content]", async () => {
    const omitted: string[] = [];
    const onOmitted: ModelCallOptions["onOmitted"] = ({ what }) => void omitted.push(what);
    const { body } = await arrives({ messages: [system, facts, ...ask], options: { ...options, onOmitted } });

    expect(body).not.toHaveProperty("systemInstruction");
    expect(omitted).toEqual(["memory and facts"]);
  });

  it("is that of its own provider alone, and has a name [cache.cached-content]", async () => {
    for (const others of [{ vertex: vendor.google }, { google: { cachedContent: "" } }]) {
      const { vendor: fake, connect } = await startVendor({ strict: false });
      fake.say("Yes.");
      await connect().generate([system, ...ask], { ...options, vendor: others });
      expect(bodiesOf(fake)[0]).toMatchObject({ systemInstruction: {}, tools: [{}], toolConfig: {} });
    }
  });
});

describe("the request", () => {
  it("is the documented one, field by field [google.factory] [model-config.sampling]", async () => {
    const { body, request, lines } = await arrives({
      messages: [{ role: "system", content: "Be short." }, ...ask, { role: "system", content: "Be kind." }],
      options: { tools: [weather], maxTokens: 500, stop: ["END"], temperature: 0, topP: 0.5 },
    });

    expect(body).toEqual({
      contents: asked,
      systemInstruction: { parts: [{ text: "Be short.\n\nBe kind." }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: "get_weather",
              description: "Tells the weather",
              parametersJsonSchema: {
                type: "object",
                properties: { city: { type: "string" } },
                required: ["city"],
                additionalProperties: false,
              },
            },
          ],
        },
      ],
      generationConfig: { maxOutputTokens: 500, stopSequences: ["END"], temperature: 0, topP: 0.5 },
    });
    expect(request?.url).toBe("/v1beta/models/gemini-3.8-flash:generateContent");
    const { host: _, "content-length": __, connection: ___, ...sent } = request?.headers ?? {};
    expect(sent).toEqual({
      accept: "*/*",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "user-agent": "troupe",
      "x-goog-api-key": "key-1",
    });
    expect(lines).toEqual([]);
  });

  it("has only what was asked for", async () => {
    expect((await arrives()).body).toEqual({ contents: asked, generationConfig: {} });
  });

  it("is the same for a stream, at another address", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("a", "b");
    const model = connect("models/gemini-2.5-flash", { baseURL: `${vendor.url}/` });

    await model.generate(ask, { topP: 0.1 });
    for await (const _ of model.stream(ask, { topP: 0.1 }));

    const [whole, streamed] = vendor.exchanges.map(({ request }) => request);
    expect(streamed?.body).toEqual(whole?.body);
    expect(streamed?.url).toBe("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  });

  it("has five stop sequences at most and no empty one, and it is said what is left out", async () => {
    const { config, lines } = await arrives({ options: { stop: ["", "1", "2", "3", "4", "5", "6"] } });

    expect(config).toEqual({ stopSequences: ["1", "2", "3", "4", "5"] });
    expect(lines).toEqual([expect.stringContaining("a stop sequence is left out")]);
  });
});

describe("thinking", () => {
  const reasoning = (more: object = {}): ModelCallOptions => ({ reasoning: { enabled: true, ...more } });

  it.each([
    ["gemini-3.8-flash", {}, {}],
    ["gemini-3.8-flash", { budgetTokens: 2048 }, { thinkingLevel: "LOW" }],
    ["gemini-3.8-flash", { budgetTokens: 8192 }, { thinkingLevel: "MEDIUM" }],
    ["gemini-3.8-flash", { budgetTokens: 8193 }, { thinkingLevel: "HIGH" }],
    ["gemini-3.8-flash", { effort: "low" }, { thinkingLevel: "LOW" }],
    ["gemini-flash-latest", { effort: "low", budgetTokens: 10_000 }, { thinkingLevel: "HIGH" }],
    ["gemini-3-pro-preview", { effort: "medium" }, { thinkingLevel: "HIGH" }],
    ["gemini-3.1-pro", { effort: "medium" }, { thinkingLevel: "MEDIUM" }],
    ["gemini-2.5-flash", {}, { thinkingBudget: -1 }],
    ["gemini-2.5-flash", { budgetTokens: 0 }, { thinkingBudget: 1 }],
    ["gemini-2.5-flash", { budgetTokens: 1000 }, { thinkingBudget: 1000 }],
    ["gemini-2.5-flash", { budgetTokens: 30_000 }, { thinkingBudget: 24_576 }],
    ["gemini-2.5-pro", { budgetTokens: 1 }, { thinkingBudget: 128 }],
    ["gemini-2.5-pro", { budgetTokens: 90_000 }, { thinkingBudget: 32_768 }],
  ])("is set for %s with %j to %j [google.reasoning-budget]", async (modelId, more, measure) => {
    const { config, lines } = await arrives({ modelId, options: reasoning(more) });

    expect(config).toEqual({ thinkingConfig: { includeThoughts: true, ...measure } });
    expect(lines).toEqual([]);
  });

  it("is not mentioned unless it is asked for, or can be turned off [model-config.reasoning]", async () => {
    const options: ModelCallOptions = { reasoning: { enabled: false, budgetTokens: 5000 } };

    expect((await arrives({ modelId: "gemini-3.8-flash", options })).config).toEqual({});
    expect((await arrives({ modelId: "gemini-2.5-pro", options })).config).toEqual({});
    expect((await arrives({ modelId: "gemini-2.0-flash", options })).config).toEqual({});
    expect((await arrives({ modelId: "gemini-2.5-flash" })).config).toEqual({});
    expect((await arrives({ modelId: "gemini-2.5-flash", options })).config).toEqual({
      thinkingConfig: { thinkingBudget: 0 },
    });
  });

  it.each(["gemini-2.0-flash", "gemini-1.5-pro", "gemini-pro", "gemini-2.5-flash-image", "gemma-3-27b-it"])(
    "is left out for %s, which cannot, and that is said",
    async (modelId) => {
      const { config, lines } = await arrives({ modelId, options: reasoning() });

      expect(config).toEqual({});
      expect(lines).toEqual([expect.stringContaining("reasoning is left out")]);
    },
  );
});

describe("tools", () => {
  it.each([
    ["auto", undefined],
    ["none", { functionCallingConfig: { mode: "NONE" } }],
    ["required", { functionCallingConfig: { mode: "ANY" } }],
    [{ tool: "get_weather" }, { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_weather"] } }],
  ] as const)("have for the choice %j the mode %j [tool-choice.vendors]", async (toolChoice, toolConfig) => {
    const { body } = await arrives({ options: { tools: [weather], toolChoice } });

    expect(body?.["toolConfig"]).toEqual(toolConfig);
  });

  it("have no choice when there are none", async () => {
    expect((await arrives({ options: { tools: [], toolChoice: "required" } })).body).not.toHaveProperty("toolConfig");
  });

  it("tools without arguments are declared by name alone", async () => {
    const tools = [{ name: "now", description: "", parameters: { type: "object" } }];

    expect((await arrives({ options: { tools } })).body?.["tools"]).toEqual([
      { functionDeclarations: [{ name: "now" }] },
    ]);
  });
});

describe("the form of the answer", () => {
  const schema = { type: "object", properties: { needed: { type: "boolean", const: true } }, required: ["needed"] };
  const format = { responseFormat: { type: "json_schema", schema, name: "umbrella" } } satisfies ModelCallOptions;
  const kept = { ...schema, properties: { needed: { type: "boolean", enum: [true] } } };

  it("is kept to by the vendor [model-config.format-schema]", async () => {
    const { body, config } = await arrives({ options: format });

    expect(config).toEqual({ responseMimeType: "application/json", responseJsonSchema: kept });
    expect(body).not.toHaveProperty("systemInstruction");
  });

  it("is kept to beside tools, too, by models that can", async () => {
    const { config } = await arrives({ options: { ...format, tools: [weather] } });

    expect(config).toEqual({ responseMimeType: "application/json", responseJsonSchema: kept });
  });

  it.each([
    [format.responseFormat, /^Be short\.\n\nWhen no tool is to be called: Answer with one JSON value.*"const":true/s],
    ["json", /^Be short\.\n\nWhen no tool is to be called: Answer with one JSON value[^{]*$/],
  ] as const)("%j stands in the instructions of models that cannot do both", async (responseFormat, words) => {
    const { body, config, lines } = await arrives({
      modelId: "gemini-2.5-flash",
      messages: [{ role: "system", content: "Be short." }, ...ask],
      options: { responseFormat, tools: [weather] },
    });

    expect(config).toEqual({});
    expect(body?.["systemInstruction"]).toMatchObject({ parts: [{ text: expect.stringMatching(words) }] });
    expect(lines).toEqual([expect.stringContaining("responseFormat is left out")]);
  });

  it("may be any JSON [model-config.format-json] or text [model-config.format-text]", async () => {
    expect((await arrives({ options: { responseFormat: "json" } })).config).toEqual({
      responseMimeType: "application/json",
    });
    expect((await arrives({ options: { responseFormat: "text" } })).config).toEqual({});
  });
});

it("a request takes its rules from the options where they say otherwise", async () => {
  const rules = { thinking: "budget", mostThinkingBudget: 10 } as const;
  const { config } = await arrives({
    modelId: "gemma-tuned",
    options: { reasoning: { enabled: true, budgetTokens: 50 } },
    provider: { rules },
  });

  expect(config).toEqual({ thinkingConfig: { includeThoughts: true, thinkingBudget: 10 } });
});
