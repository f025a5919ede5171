import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bodiesOf, gather, startVendor } from "../test/vendor.ts";
import { google } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];
const wholeAnswer = (answer: unknown) => ({
  raw: { status: 200, headers: { "content-type": "application/json" }, frames: [JSON.stringify(answer)] },
});

describe("google", () => {
  it("makes a provider [google.factory]", () => {
    expect(google("gemini-3.8-flash")).toMatchObject({ providerId: "google", modelId: "gemini-3.8-flash" });
  });

  it.each<[string, unknown, RegExp]>([
    ["a project", { project: "p" }, /Unknown option "project" of google/],
    ["an empty key", { apiKey: "" }, /^apiKey must be/],
    ["an address with a key", { baseURL: "https://example.com?key=secret" }, /^baseURL must be/],
    ["an unknown rule", { rules: { vision: true } }, /Unknown option "vision" of rules. Expected thinking/],
    ["a wrong rule", { rules: { thinking: "much" } }, /^rules.thinking must be "level", "budget" or "none"/],
    ["no levels", { rules: { thinkingLevels: [] } }, /^rules.thinkingLevels must be/],
    [
      "a wrong level",
      { rules: { thinkingLevels: ["max"] } },
      /^rules.thinkingLevels\[0\] must be "minimal", "low", "medium" or/,
    ],
    ["half a budget", { rules: { mostThinkingBudget: 0.5 } }, /^rules.mostThinkingBudget must be/],
    ["no options", null, /^The options of google must be an object/],
  ])("refuses %s where it is given", (_, options, message) => {
    const make = () => google("gemini-3.8-flash", options as object);

    expect(make).toThrow(expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }));
  });

  it.each([" ", "", "../gemini", "gemini?key=1", "gemini 3", undefined])("refuses %j for a model", (modelId) => {
    expect(() => google(modelId as string)).toThrow(/^modelId must be/);
  });

  it("takes options that are left undefined for absent", () => {
    const options = { apiKey: undefined, rules: { signatures: undefined } } as object;

    expect(() => google("gemini-3.8-flash", options)).not.toThrow();
  });
});

describe("a whole answer", () => {
  it("has text, thinking, usage, names and what is to go back", async () => {
    const { vendor, connect } = await startVendor();
    const usage = { promptTokens: 125, completionTokens: 60, totalTokens: 185, cachedTokens: 100, reasoningTokens: 20 };
    vendor.say({
      thinking: "Hm.",
      text: "Yes.",
      usage,
      toolCalls: [{ id: "c1", name: "look", arguments: { at: 1 } }],
    });

    const answer = await connect().generate(ask, { reasoning: { enabled: true } });

    expect(vendor.exchanges[0]?.route?.stream).toBe(false);
    expect(answer).toEqual({
      text: "Yes.",
      thinking: "Hm.",
      toolCalls: [{ id: "c1", name: "look", arguments: { at: 1 } }],
      finishReason: "tool_calls",
      usage: { ...usage, providerMetrics: expect.objectContaining({ candidatesTokenCount: 40 }) as unknown },
      responseId: expect.any(String) as unknown,
      model: "gemini-3.8-flash",
      vendorState: {
        providerId: "google",
        modelId: "gemini-3.8-flash",
        items: [
          { text: "Hm.", thought: true },
          { text: "Yes." },
          {
            functionCall: { id: "c1", name: "look", args: { at: 1 } },
            thoughtSignature: expect.any(String) as unknown,
          },
        ],
      },
    });
  });

  it("counts thoughts as output, the results of the vendor's own tools as input, and sounds by themselves", async () => {
    const { vendor, connect } = await startVendor();
    const usageMetadata = {
      promptTokenCount: 1,
      toolUsePromptTokenCount: 20,
      candidatesTokenCount: 300,
      thoughtsTokenCount: 4000,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 1 },
        { modality: "AUDIO", tokenCount: 7 },
      ],
      candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 8 }],
    };
    vendor.plan(wholeAnswer({ candidates: [{ finishReason: "STOP" }], usageMetadata }));

    expect((await connect().generate(ask)).usage).toEqual({
      promptTokens: 21,
      completionTokens: 4300,
      totalTokens: 4321,
      reasoningTokens: 4000,
      audioInputTokens: 7,
      audioOutputTokens: 8,
      providerMetrics: usageMetadata,
    });
  });

  it.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["CONTINUATION", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["SPII", "content_filter"],
    ["IMAGE_SAFETY", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "error"],
    ["MALFORMED_RESPONSE", "error"],
    ["UNEXPECTED_TOOL_CALL", "error"],
    ["TOO_MANY_TOOL_CALLS", "error"],
    ["LANGUAGE", "other"],
    ["constructor", "other"],
  ])("finishes for %s with %s", async (reason, finishReason) => {
    const { vendor, connect } = await startVendor();
    vendor.plan(wholeAnswer({ candidates: [{ finishReason: reason }] }));

    expect(await connect().generate(ask)).toMatchObject({ text: "", finishReason, usage: { totalTokens: 0 } });
  });

  it("is withheld when the request is refused", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan(wholeAnswer({ promptFeedback: { blockReason: "BLOCKLIST" }, usageMetadata: { promptTokenCount: 3 } }));

    expect(await connect().generate(ask)).toMatchObject({ finishReason: "content_filter", usage: { totalTokens: 3 } });
  });

  it("has calls under the vendor's ids, and where it gave none or one twice, under ids of their own", async () => {
    const { vendor, connect } = await startVendor();
    const call = (id?: string) => ({ functionCall: { id, name: "look" } });
    const parts = [call("a"), call(), { functionCall: {} }, call("a"), call("")];
    vendor.plan(wholeAnswer({ candidates: [{ content: { parts }, finishReason: "STOP" }] }));

    const { toolCalls, vendorState } = await connect().generate(ask);

    expect(vendorState?.items).toEqual([call("a"), call(), call("a"), call("")]);
    const ids = toolCalls.map(({ id }) => id);
    expect(ids[0]).toBe("a");
    expect(new Set(ids).size).toBe(4);
    expect(ids.slice(1).every((id) => /^call_[0-9a-f]{32}$/.test(id))).toBe(true);
  });

  it.each([
    ["no reason to stop", '{"candidates":[{}]}', { networkCode: "ECONNRESET" }],
    ["nothing", "{}", { message: "google sent an answer without content." }],
    ["a failure with status 200", '{"error":{"status":"UNAVAILABLE"}}', { status: 503, vendorCode: "UNAVAILABLE" }],
    ["null", "null", { message: "google sent an answer without content." }],
  ])("fails as the model's failure with %s", async (_, text, failure) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ raw: { status: 200, headers: {}, frames: [text] } });

    await expect(connect().generate(ask)).rejects.toMatchObject({
      name: "ModelError",
      code: "model_failed",
      ...failure,
    });
  });
});

describe("a stream", () => {
  it("passes over what it does not know, and heeds the last count and the last reason", async () => {
    const { vendor, connect } = await startVendor();
    const pieces = [
      { candidates: [{ content: { parts: [{ text: "Yes" }, { hologram: 1 }] }, finishReason: "OTHER" }], news: 1 },
      { usageMetadata: { promptTokenCount: 2, totalTokenCount: 2 } },
      { candidates: [{ content: {} }, { content: { parts: [{ text: "another candidate" }] } }] },
      { candidates: [{ content: { parts: [{ text: "." }] }, finishReason: "STOP" }] },
      { usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 5, totalTokenCount: 7 } },
    ];
    const frames = [": nothing yet\n\n", ...pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`)];
    vendor.plan({ raw: { status: 200, headers: {}, frames } });

    const { chunks } = await gather(connect().stream(ask));

    expect(chunks.map((chunk) => ({ ...chunk }))).toMatchObject([
      { type: "text", text: "Yes" },
      { type: "text", text: "." },
      { finishReason: "stop", usage: { promptTokens: 2, completionTokens: 5, totalTokens: 7 } },
    ]);
  });

  it.each([
    ["no JSON", ["data: {\n\n"], "ECONNRESET"],
    ["no reason to stop", ['data: {"candidates":[]}\n\n'], "ECONNRESET"],
    ["nothing at all", [], "ECONNRESET"],
    ["another form", ["data: null\n\n"], "ECONNRESET"],
  ])("is a failure of the model when it is %s", async (_, frames, networkCode) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ raw: { status: 200, headers: {}, frames } });

    const { error } = await gather(connect().stream(ask));

    expect(error).toMatchObject({ name: "ModelError", code: "model_failed", networkCode });
  });
});

describe("a call", () => {
  it("is one request, also when the vendor offers to go on", async () => {
    const { vendor, connect } = await startVendor();
    const content = { parts: [{ text: "Once" }] };
    vendor.plan(wholeAnswer({ candidates: [{ content, finishReason: "CONTINUATION", continuationToken: "t" }] }), {
      failure: { status: 503 },
    });

    expect(await connect().generate(ask)).toMatchObject({ text: "Once", finishReason: "length" });
    await expect(connect().generate(ask)).rejects.toMatchObject({ status: 503 });
    expect(bodiesOf(vendor)).toHaveLength(2);
  });
});

it("google never loads the vendor's library [provider.no-sdk]", async () => {
  vi.resetModules();
  const loaded = vi.fn<() => void>();
  for (const name of ["@google/genai", "@google/genai/web"]) {
    vi.doMock(name, async (original) => {
      loaded();
      return await original();
    });
  }
  onTestFinished(() => {
    for (const name of ["@google/genai", "@google/genai/web"]) vi.doUnmock(name);
    vi.resetModules();
  });
  const { vendor } = await startVendor({ dimensions: 768 });
  vendor.say("Yes.");
  const fresh = await import("./index.ts");

  await fresh.google("gemini-3.8-flash", { apiKey: "key-1", baseURL: vendor.url }).generate(ask);
  await fresh.googleEmbeddings({ apiKey: "key-1", baseURL: vendor.url }).embed("rain");

  expect(loaded).not.toHaveBeenCalled();
});
