import { createLogger } from "@troupe/core";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { bodiesOf, startVendor } from "../test/vendor.ts";
import type { OllamaOptions } from "./index.ts";

const ask: ChatMessage[] = [{ role: "user", content: "Umbrella?" }];
const weather = {
  name: "get_weather",
  description: "Tells the weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const schema = { type: "object", properties: { rain: { type: "boolean" } }, required: ["rain"] };
const inSchema = { responseFormat: { type: "json_schema" as const, schema } };
const alone = "Answer with JSON alone: one value, with no words and no code fence around it.";
const inWords = `${alone} It must fit this JSON Schema:\n${JSON.stringify(schema)}`;

type Case = { modelId?: string; messages?: ChatMessage[]; options?: ModelOptions; provider?: OllamaOptions };

/** The body that arrives at a strict server, and the options that are said to be left out. */
async function arrives({ modelId, messages = ask, options, provider }: Case = {}) {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
  await connect(modelId, { logger, ...provider }).generate(messages, options);
  return { body: bodiesOf(vendor)[0], request: vendor.exchanges[0]?.request, lines };
}

describe("the request", () => {
  it("is the documented one, field by field [ollama.factory] [model-config.sampling]", async () => {
    const { body, request, lines } = await arrives({
      messages: [{ role: "system", content: "Be short." }, ...ask],
      options: { tools: [weather], maxTokens: 500, stop: ["END"], temperature: 0, topP: 0.5 },
      provider: { apiKey: "key-1", contextLength: 16_384 },
    });

    expect(body).toEqual({
      model: "qwen3:8b",
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "Umbrella?" },
      ],
      tools: [{ type: "function", function: weather }],
      options: { temperature: 0, top_p: 0.5, stop: ["END"], num_predict: 500, num_ctx: 16_384 },
      stream: true,
    });
    expect([request?.method, request?.url]).toEqual(["POST", "/api/chat"]);
    const { host: _, "content-length": __, connection: ___, ...sent } = request?.headers ?? {};
    expect(sent).toEqual({
      accept: "application/x-ndjson",
      "accept-encoding": "identity",
      authorization: "Bearer key-1",
      "content-type": "application/json",
      "user-agent": "troupe",
    });
    expect(lines).toEqual([]);
  });

  it("has only what was asked for", async () => {
    const { body, request } = await arrives();

    expect(body).toEqual({ model: "qwen3:8b", messages: [{ role: "user", content: "Umbrella?" }], stream: true });
    expect(request?.headers).not.toHaveProperty("authorization");
  });

  it("keeps a path of the address", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    await connect(undefined, { baseURL: `${vendor.url}/behind/` }).generate(ask);

    expect(vendor.exchanges[0]?.request.url).toBe("/behind/api/chat");
  });

  it("leaves out a stop sequence of nothing", async () => {
    const { body, lines } = await arrives({ options: { stop: ["", "END"] } });

    expect(body).toMatchObject({ options: { stop: ["END"] } });
    expect(lines).toEqual([expect.stringContaining("stop sequence")]);
  });
});

describe("reasoning", () => {
  type Sent = { think: unknown; notes: number };
  it.each<[string, ModelOptions["reasoning"], Sent]>([
    ["qwen3:8b", undefined, { think: undefined, notes: 0 }],
    ["qwen3:8b", { enabled: true }, { think: true, notes: 0 }],
    ["qwen3:8b", { enabled: false, effort: "low" }, { think: false, notes: 0 }],
    ["qwen3:8b", { enabled: true, effort: "high" }, { think: true, notes: 1 }],
    ["gpt-oss:20b", { enabled: true, effort: "high" }, { think: "high", notes: 0 }],
    ["gpt-oss:20b", { enabled: true }, { think: true, notes: 0 }],
    ["gpt-oss:20b", { enabled: true, budgetTokens: 2000 }, { think: true, notes: 1 }],
  ])("is sent for %s with %j as %j [model-config.reasoning]", async (modelId, reasoning, expected) => {
    const { body, lines } = await arrives({ modelId, options: reasoning === undefined ? {} : { reasoning } });

    expect({ think: body?.["think"], notes: lines.length }).toEqual(expected);
  });

  it("goes by the rules of the configuration", async () => {
    const reasoning = { enabled: true, effort: "low" as const };
    const none = await arrives({ options: { reasoning }, provider: { rules: { thinking: "none" } } });
    const off = await arrives({
      options: { reasoning: { enabled: false } },
      provider: { rules: { thinking: "none" } },
    });
    const levels = await arrives({ options: { reasoning }, provider: { rules: { thinking: "levels" } } });

    expect(none.body).not.toHaveProperty("think");
    expect(off.body).not.toHaveProperty("think");
    expect([none.lines.length, off.lines.length]).toEqual([1, 0]);
    expect(levels.body).toMatchObject({ think: "low" });
  });
});

describe("tools", () => {
  it("are not sent when they must not be called", async () => {
    const { body, lines } = await arrives({ options: { tools: [weather], toolChoice: "none" } });

    expect(body).not.toHaveProperty("tools");
    expect(lines).toEqual([]);
  });

  it.each(["required", { tool: "get_weather" }] as const)(
    "cannot be forced on a model by %j [tool-choice.vendors]",
    async (toolChoice) => {
      const { body, lines } = await arrives({ options: { tools: [weather], toolChoice } });

      expect(body).toHaveProperty("tools");
      expect(lines).toEqual([expect.stringContaining("toolChoice is left out")]);
    },
  );

  it("are left out for a model that is known to take none", async () => {
    const { body, lines } = await arrives({
      modelId: "gemma3:4b",
      options: { tools: [weather] },
      provider: { rules: { tools: false } },
    });

    expect(body).not.toHaveProperty("tools");
    expect(lines).toEqual([expect.stringContaining("the list of tools is left out")]);
  });

  it("tools without parameters have properties all the same", async () => {
    const { body } = await arrives({ options: { tools: [{ name: "get_time", description: "", parameters: {} }] } });

    expect(body).toMatchObject({ tools: [{ function: { parameters: { type: "object", properties: {} } } }] });
  });

  it("tools whose parameters are a choice of schemas are refused by name", async () => {
    const { vendor, connect } = await startVendor();
    const tools = [{ ...weather, parameters: { oneOf: [weather.parameters, { type: "object" }] } }];

    await expect(connect().generate(ask, { tools })).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("get_weather"),
    });
    expect(vendor.exchanges).toEqual([]);
  });
});

describe("the form of the answer", () => {
  it.each<[string, ModelOptions]>([
    ["nothing", {}],
    ["text", { responseFormat: "text" }],
  ])("needs no setting for %s [model-config.format-text]", async (_, options) => {
    const { body } = await arrives({ options });

    expect(body).toEqual({ model: "qwen3:8b", messages: [{ role: "user", content: "Umbrella?" }], stream: true });
  });

  it("is requested for JSON in a setting and an instruction [model-config.format-json]", async () => {
    const { body } = await arrives({ options: { responseFormat: "json" } });

    expect(body).toMatchObject({ format: "json", messages: [{ role: "system", content: alone }, { role: "user" }] });
  });

  it("is requested for a schema in a setting and the system message [model-config.format-schema]", async () => {
    const { body, lines } = await arrives({
      messages: [{ role: "system", content: "Be short." }, ...ask],
      options: inSchema,
    });

    expect(body?.["format"]).toEqual(schema);
    expect(body?.["messages"]).toEqual([
      { role: "system", content: `Be short.\n\n${inWords}` },
      { role: "user", content: "Umbrella?" },
    ]);
    expect(lines).toEqual([]);
  });

  it("is told in words alone while tools may be called, and kept to once they may not", async () => {
    const during = await arrives({ options: { ...inSchema, tools: [weather] } });
    const after = await arrives({ options: { ...inSchema, tools: [weather], toolChoice: "none" } });

    expect(during.body).not.toHaveProperty("format");
    expect(during.body).toMatchObject({ messages: [{ role: "system", content: inWords }, {}] });
    expect(during.lines).toHaveLength(1);
    expect(after.body).toMatchObject({ format: schema, messages: [{ role: "system", content: inWords }, {}] });
  });
});
