import { GoogleGenAI } from "@google/genai";
import type { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";
import { google, googleEmbeddings } from "./index.ts";
import type { GeminiClient } from "./index.ts";

const ask: ChatMessage[] = [{ role: "user", content: "Umbrella?" }];
const weather = {
  name: "get_weather",
  description: "Tells the weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** Creates the real client. */
function clientOf(vendor: FakeVendor): GoogleGenAI {
  return new GoogleGenAI({
    enterprise: false,
    apiKey: "key-1",
    apiVersion: "v1beta",
    httpOptions: { baseUrl: vendor.url },
  });
}

const calls: [title: string, options: ModelOptions, messages: ChatMessage[]][] = [
  ["a question", {}, ask],
  [
    "instructions and settings",
    { temperature: 0.5, topP: 0.5, maxTokens: 9, stop: ["END"] },
    [{ role: "system", content: "Be short." }, ...ask],
  ],
  ["tools, and a choice among them", { tools: [weather], toolChoice: { tool: "get_weather" } }, ask],
  [
    "a schema",
    {
      responseFormat: {
        type: "json_schema",
        schema: { type: "object", properties: { a: { type: ["string", "null"] } } },
      },
    },
    ask,
  ],
  ["thinking", { reasoning: { enabled: true, effort: "low" } }, ask],
  [
    "images, and results of tools",
    { tools: [weather] },
    [
      { role: "user", content: [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }] },
      {
        role: "assistant",
        content: "Let me look.",
        toolCalls: [{ id: "c1", name: "get_weather", arguments: { city: "Oslo" } }],
      },
      { role: "tool", toolCallId: "c1", content: "rain" },
    ],
  ],
  [
    "fields of the vendor's own",
    { vendor: { google: { safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }] } } },
    ask,
  ],
];

describe("a model over the client of the SDK", () => {
  it.each(calls)(
    "sends what our own HTTP sends, and reads the same answer: %s [provider.client]",
    async (_, options, messages) => {
      const { vendor, connect } = await startVendor({ strict: false });
      vendor.respond(() => ({
        answer: { text: "{}", usage: { promptTokens: 5, completionTokens: 7, totalTokens: 12 } },
      }));
      const own = connect();
      const theirs = google("gemini-3.8-flash", { client: clientOf(vendor) });

      const whole = [await own.generate(messages, options), await theirs.generate(messages, options)];
      const pieces = [await gather(own.stream(messages, options)), await gather(theirs.stream(messages, options))];

      const sent = vendor.exchanges.map(({ request, key }) => ({ url: request.url, body: request.body, key }));
      expect(sent[1]).toEqual(sent[0]);
      expect(sent[3]).toEqual(sent[2]);
      expect(withoutIds(whole[1])).toEqual(withoutIds(whole[0]));
      expect(withoutIds(pieces[1])).toEqual(withoutIds(pieces[0]));
    },
  );

  it("asks once, and tells a refusal as our own HTTP does [provider.client]", async () => {
    const { vendor } = await startVendor();
    vendor.respond(() => ({ failure: { status: 429, retryAfterSeconds: 7 } }));
    const model = google("gemini-3.8-flash", { client: clientOf(vendor) });
    const expected = { code: "rate_limited", status: 429, vendorCode: "RESOURCE_EXHAUSTED", retryAfterMs: 7000 };

    await expect(model.generate(ask)).rejects.toMatchObject(expected);
    expect((await gather(model.stream(ask))).error).toMatchObject(expected);
    expect(vendor.exchanges).toHaveLength(2);
  });

  it("ends the request when its reader leaves early, and when the signal aborts [provider.client]", async () => {
    const { vendor } = await startVendor();
    const long = { answer: "word ".repeat(2000), delivery: { pieceBytes: 200, pieceDelayMs: 5 } };
    vendor.plan(long, long);
    const model = google("gemini-3.8-flash", { client: clientOf(vendor) });

    for await (const chunk of model.stream(ask)) if (chunk.type === "text") break;
    const abort = new AbortController();
    const reading = gather(model.stream(ask, { signal: abort.signal }));
    await vi.waitFor(() => expect(vendor.exchanges).toHaveLength(2));
    abort.abort();

    expect((await reading).error).toMatchObject({ code: "cancelled" });
    await vi.waitFor(() => expect(vendor.exchanges.map(({ end }) => end)).toEqual(["abandoned", "abandoned"]));
  });

  it.each([
    ["a body of no events", ""],
    ["a body of nothing", "{}"],
  ])("fails on %s, where the SDK says nothing [provider.client]", async (_, body) => {
    const { vendor } = await startVendor();
    vendor.respond(() => ({ raw: { status: 200, headers: { "content-type": "application/json" }, frames: [body] } }));
    const model = google("gemini-3.8-flash", { client: clientOf(vendor) });

    await expect(model.generate(ask)).rejects.toMatchObject({ code: "model_failed" });
    expect((await gather(model.stream(ask))).error).toMatchObject({ code: "model_failed" });
  });

  it("takes no options that are the client's [provider.client]", async () => {
    const { vendor } = await startVendor();
    const client = clientOf(vendor);

    expect(() => google("gemini-3.8-flash", { client, apiKey: "k" })).toThrow(
      /^apiKey would have no effect beside client/,
    );
    expect(() => google("gemini-3.8-flash", { client: {} as GeminiClient })).toThrow(
      "client must be a GoogleGenAI, with models.generateContent and models.generateContentStream",
    );
  });
});

it("embeddings over the client of the SDK send what our own HTTP sends [provider.client]", async () => {
  const { vendor } = await startVendor({ dimensions: 32 });
  const options = { model: "gemini-embedding-2", dimensions: 8 };
  const own = googleEmbeddings({ apiKey: "key-1", baseURL: vendor.url, ...options });
  const theirs = googleEmbeddings({ client: clientOf(vendor), ...options });

  expect(await theirs.embedBatch(["rain", "sun"])).toEqual(await own.embedBatch(["rain", "sun"]));
  expect(vendor.exchanges[0]?.request.body).toEqual(vendor.exchanges[1]?.request.body);
});

/** Leaves out ids, which the vendor makes anew. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, each: unknown) => (name === "responseId" ? "id" : each)));
}
