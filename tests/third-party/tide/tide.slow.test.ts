import { FakeVendor, providerSuite } from "@troupe-internal/vendor-fakes";
import type { ModelOptions } from "@troupe/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { tideDialect } from "./tide-dialect.ts";
import { tide } from "./tide-model.ts";

const recorded = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const begin = { t: "begin", id: "t-1", model: "tide-2" };
const pieces = ['{"ci', 'ty":"Oslo"}'];

describe("a third party's provider in the shape of ours", () => {
  providerSuite(it, {
    connect: (baseURL, { modelId = "tide-2", ...options }) => tide(modelId, { baseURL, ...options }),
    models: ["tide-2", "tide-3"],
    dialect: tideDialect,
    transcripts: {
      "reasoning, two calls in pieces that overlap, and usage behind the end": {
        recorded: recorded(
          begin,
          { t: "reasoning", text: "Need both." },
          { t: "seal", seal: "OPAQUE" },
          { t: "call", n: 0, id: "c-1", name: "look" },
          { t: "args", n: 0, piece: pieces[0] },
          { t: "call", n: 1, id: "c-2", name: "now" },
          { t: "args", n: 1, piece: "{}" },
          { t: "args", n: 0, piece: pieces[1] },
          { t: "stop", why: "calls" },
          { t: "tokens", tokens: { in: 20, out: 30, cached: 16, reasoning: 10 } },
          { t: "over" },
        ),
        chunks: [
          { type: "thinking", text: "Need both." },
          { type: "tool_call_start", toolCall: { id: "c-1", name: "look" } },
          { type: "tool_call_delta", toolCallId: "c-1", argumentsDelta: pieces[0] },
          { type: "tool_call_start", toolCall: { id: "c-2", name: "now" } },
          { type: "tool_call_delta", toolCallId: "c-2", argumentsDelta: "{}" },
          { type: "tool_call_delta", toolCallId: "c-1", argumentsDelta: pieces[1] },
          { type: "tool_call_end", toolCallId: "c-1" },
          { type: "tool_call_end", toolCallId: "c-2" },
          {
            type: "finish",
            finishReason: "tool_calls",
            usage: { promptTokens: 20, completionTokens: 30, totalTokens: 50, cachedTokens: 16, reasoningTokens: 10 },
          },
        ],
        details: {
          responseId: "t-1",
          model: "tide-2",
          vendorState: {
            items: [
              { reasoning: "Need both.", seal: "OPAQUE" },
              { call: { id: "c-1", name: "look", args: '{"city":"Oslo"}' } },
              { call: { id: "c-2", name: "now", args: "{}" } },
            ],
          },
        },
      },
      "an error within the stream": {
        recorded: recorded(begin, { t: "text", text: "Hel" }, { problem: { kind: "busy", words: "Later." } }),
        chunks: [{ type: "text", text: "Hel" }],
        error: { name: "ModelError", code: "model_failed", status: 503, vendorCode: "busy" },
      },
    },
    truncated: { raw: { status: 200, headers: {}, frames: [recorded(begin, { t: "text", text: "Hel" })] } },
    vendorCodes: { 400: "bad_request", 429: "too_many", 503: "busy" },
    keyVariables: ["TIDE_API_KEY"],
    untaken: { topP: 0.5 },
    secrets: /seal/,
  });
});

/** Returns the body that the vendor receives for a call. */
async function bodyOf(options: ModelOptions, content: Parameters<typeof userMessage>[0] = "Umbrella?") {
  const vendor = await FakeVendor.start({ strict: true, dialect: tideDialect });
  onTestFinished(() => vendor.close());
  vendor.say("{}");
  await tide("tide-2", { apiKey: "key-1", baseURL: vendor.url }).generate([userMessage(content)], options);
  return vendor.exchanges[0]?.request.body;
}

function userMessage(content: string | { type: "image"; data: string; mimeType?: string }[]) {
  return { role: "user" as const, content };
}

describe("a request of a third party's provider", () => {
  it("has images, tools, a schema, and all settings that the vendor has", async () => {
    const schema = { type: "object", properties: {} };
    const body = await bodyOf(
      {
        tools: [{ name: "look", description: "Looks.", parameters: schema }],
        toolChoice: { tool: "look" },
        reasoning: { enabled: true, effort: "high" },
        responseFormat: { type: "json_schema", schema },
        maxTokens: 100,
        temperature: 0.5,
        stop: ["END"],
      },
      [
        { type: "image", data: "iVBORw0KGgo=" },
        { type: "image", data: "https://example.com/a.jpg" },
      ],
    );

    expect(body).toEqual({
      model: "tide-2",
      stream: false,
      turns: [
        {
          by: "user",
          say: [
            { image: { type: "image/png", base64: "iVBORw0KGgo=" } },
            { image: { url: "https://example.com/a.jpg" } },
          ],
        },
      ],
      tools: [{ name: "look", about: "Looks.", schema }],
      use: { name: "look" },
      reason: "high",
      shape: schema,
      limit: 100,
      heat: 0.5,
      until: ["END"],
    });
  });

  it("has what the caller gives for this vendor, as it is, and nothing for others", async () => {
    const body = await bodyOf({ vendor: { tide: { limit: 7 }, openai: { service_tier: "flex" } } });

    expect(body).toMatchObject({ limit: 7 });
    expect(body).not.toHaveProperty("service_tier");
  });
});
