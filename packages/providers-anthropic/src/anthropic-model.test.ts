import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bodiesOf, gather, startVendor } from "../test/vendor.ts";
import { anthropic } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

describe("anthropic", () => {
  it("makes a provider [provider.contract] [anthropic.factory]", () => {
    expect(anthropic("claude-opus-5-5")).toMatchObject({ providerId: "anthropic", modelId: "claude-opus-5-5" });
  });

  it.each<[string, unknown, RegExp]>([
    ["an empty key", { apiKey: "" }, /^apiKey must be/],
    ["another header", { keyHeader: "cookie" }, /^keyHeader must be "authorization" or "x-api-key"/],
    ["an unknown rule", { rules: { vision: true } }, /Unknown option "vision" of rules. Expected thinking/],
    ["a wrong rule", { rules: { thinking: "much" } }, /^rules.thinking must be "adaptive", "budget" or "none"/],
    ["a limit of nothing", { rules: { maxOutputTokens: 0 } }, /^rules.maxOutputTokens must be/],
  ])("refuses %s where it is given", (_, options, message) => {
    const make = () => anthropic("claude-opus-5-5", options as object);

    expect(make).toThrow(expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }));
  });

  it("takes options that are left undefined for absent", () => {
    const options = { apiKey: undefined, rules: { sampling: undefined } } as object;

    expect(() => anthropic("claude-opus-5-5", options)).not.toThrow();
  });
});

describe("a whole answer", () => {
  it("has text, thinking, usage, names and what is to go back", async () => {
    const { vendor, connect } = await startVendor();
    const usage = { promptTokens: 125, completionTokens: 60, totalTokens: 185, cachedTokens: 100, reasoningTokens: 20 };
    vendor.say({ thinking: "Hm.", text: "Yes.", usage });

    const answer = await connect("claude-haiku-4-5").generate(ask, {
      reasoning: { enabled: true, budgetTokens: 2000 },
      maxTokens: 4000,
    });

    expect(bodiesOf(vendor)[0]).toMatchObject({ stream: false });
    expect(answer).toEqual({
      text: "Yes.",
      thinking: "Hm.",
      toolCalls: [],
      finishReason: "stop",
      usage: {
        ...usage,
        cacheWriteTokens: 0,
        providerMetrics: expect.objectContaining({ input_tokens: 25 }) as unknown,
      },
      responseId: expect.stringMatching(/^msg_/) as unknown,
      model: "claude-haiku-4-5",
      vendorState: {
        providerId: "anthropic",
        modelId: "claude-haiku-4-5",
        items: [expect.objectContaining({ type: "thinking", thinking: "Hm." }), { type: "text", text: "Yes." }],
      },
    });
  });

  it("counts what was written to the cache as input", async () => {
    const { vendor, connect } = await startVendor();
    const usage = {
      input_tokens: 1,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 300,
      output_tokens: 4000,
    };
    const message = { type: "message", id: "m", model: "c", content: [], stop_reason: "end_turn", usage };
    vendor.plan({
      raw: { status: 200, headers: { "content-type": "application/json" }, frames: [JSON.stringify(message)] },
    });

    expect((await connect().generate(ask)).usage).toEqual({
      promptTokens: 321,
      completionTokens: 4000,
      totalTokens: 4321,
      cachedTokens: 300,
      cacheWriteTokens: 20,
      providerMetrics: usage,
    });
  });

  it.each([
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["pause_turn", "other"],
    ["constructor", "other"],
  ])("finishes for %s with %s", async (stopReason, finishReason) => {
    const { vendor, connect } = await startVendor();
    const message = { type: "message", content: [], stop_reason: stopReason, usage: {} };
    vendor.plan({ raw: { status: 200, headers: {}, frames: [JSON.stringify(message)] } });

    expect((await connect().generate(ask)).finishReason).toBe(finishReason);
  });

  it.each([
    ["no reason to stop", '{"type":"message","content":[],"stop_reason":null}', { networkCode: "ECONNRESET" }],
    ["a failure with status 200", '{"type":"error","error":{"type":"overloaded_error"}}', { status: 529 }],
  ])("fails as the model's failure with %s", async (_, text, failure) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ raw: { status: 200, headers: {}, frames: [text] } });

    await expect(connect().generate(ask)).rejects.toMatchObject({
      name: "ModelError",
      code: "model_failed",
      ...failure,
    });
  });

  it("is waited for until it should have come", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ answer: "Yes.", delivery: { fault: { kind: "hang", at: "before-headers" } } });

    const answer = connect(undefined, { idleTimeoutMs: 50 }).generate(ask, { maxTokens: 1 });

    await expect(answer).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("a stream", () => {
  it("takes the arguments of a call that are told at once, and the last word of a gateway", async () => {
    const { vendor, connect } = await startVendor();
    const events = [
      { type: "message_start", message: { id: "m", model: "c" } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "t", name: "look", input: { at: 1 } },
      },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" },
      { type: "error", error: { type: "api_error", message: "too late" } },
    ];
    const frames = [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), "data: [DONE]\n\n"];
    vendor.plan({ raw: { status: 200, headers: {}, frames: [frames.join("")] } });
    const tools = [{ name: "look", description: "", parameters: {} }];

    const { toolCalls, usage } = await connect().generate(ask, { tools });

    expect(toolCalls).toEqual([{ id: "t", name: "look", arguments: { at: 1 } }]);
    expect(usage).toMatchObject({ totalTokens: 0 });
  });

  it("passes over what it does not know", async () => {
    const { vendor, connect } = await startVendor();
    const events = [
      { type: "message_start", message: { id: "m", model: "c", usage: { input_tokens: 2, output_tokens: 1 } } },
      { type: "news", of: "tomorrow" },
      { type: "content_block_start", index: 0, content_block: { type: "hologram" } },
      { type: "content_block_delta", index: 0, delta: { type: "hologram_delta" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_delta", index: 7, delta: { type: "text_delta", text: "lost" } },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "Yes" } },
      { type: "content_block_delta", index: 1, delta: { type: "citations_delta" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "." } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { input_tokens: null, output_tokens: 5 } },
      { type: "message_stop" },
    ];
    const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
    vendor.plan({ raw: { status: 200, headers: {}, frames } });

    const { chunks } = await gather(connect().stream(ask));

    expect(chunks.slice(0, -1)).toEqual([
      { type: "text", text: "Yes" },
      { type: "text", text: "." },
    ]);
    expect(chunks.at(-1)).toMatchObject({ usage: { promptTokens: 2, completionTokens: 5, totalTokens: 7 } });
  });

  it.each([
    ["no JSON", ["data: {\n\n"], "ECONNRESET"],
    ["no reason to stop", ['data: {"type":"message_stop"}\n\n'], "ECONNRESET"],
    ["no last event", ['data: {"type":"message_delta"}\n\n'], "ECONNRESET"],
  ])("is a failure of the model when it is %s", async (_, frames, networkCode) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ raw: { status: 200, headers: {}, frames } });

    const { error } = await gather(connect().stream(ask));

    expect(error).toMatchObject({ name: "ModelError", code: "model_failed", networkCode });
  });
});

it("anthropic loads no library of the vendor", async () => {
  vi.resetModules();
  vi.doMock("@anthropic-ai/sdk", () => {
    throw new Error("The library was loaded.");
  });
  onTestFinished(() => {
    vi.doUnmock("@anthropic-ai/sdk");
    vi.resetModules();
  });
  const { vendor } = await startVendor();
  vendor.say("Yes.");
  vendor.plan({ failure: { status: 529 } });
  const fresh = await import("./index.ts");
  const model = fresh.anthropic("claude-opus-5-5", { apiKey: "key-1", baseURL: vendor.url });

  expect((await model.generate(ask)).text).toBe("Yes.");
  await expect(model.generate(ask)).rejects.toMatchObject({ status: 529 });
});
