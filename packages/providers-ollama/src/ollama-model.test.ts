import { describe, expect, it } from "vitest";
import { startVendor } from "../test/vendor.ts";
import { ollama } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];
const tools = [{ name: "look", description: "", parameters: {} }];

/** An answer in raw lines. */
const linesOf = (...lines: unknown[]) => ({
  raw: { status: 200, headers: {}, frames: [lines.map((line) => `${JSON.stringify(line)}\n`).join("")] },
});

describe("ollama", () => {
  it("makes a provider [provider.contract] [ollama.factory]", () => {
    expect(ollama("qwen3:8b")).toMatchObject({ providerId: "ollama", modelId: "qwen3:8b" });
    expect(ollama("qwen3:8b", { baseURL: "http://gpu.example:11434" }).modelId).toBe("qwen3:8b");
  });

  it.each<[string, unknown, RegExp]>([
    ["an empty key", { apiKey: "" }, /^apiKey must be/],
    ["an address with a query", { baseURL: "https://example.com?key=secret" }, /^baseURL must be/],
    ["no room at all", { contextLength: 0 }, /^contextLength must be/],
    ["half a token", { contextLength: 0.5 }, /^contextLength must be/],
    ["endless time", { timeoutMs: Infinity }, /^timeoutMs must be/],
    ["rules of nothing", { rules: null }, /^rules must be an object/],
    ["an unknown rule", { rules: { vision: true } }, /Unknown option "vision" of rules. Expected thinking or tools/],
    ["a wrong rule", { rules: { thinking: "much" } }, /^rules.thinking must be "levels", "switch" or "none"/],
    ["another wrong rule", { rules: { tools: "some" } }, /^rules.tools must be true or false/],
    ["no options", null, /^The options of ollama must be an object/],
  ])("refuses %s where it is given", (_, options, message) => {
    const make = () => ollama("qwen3:8b", options as object);

    expect(make).toThrow(expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }));
    expect(make).not.toThrow(/secret/);
  });

  it("takes options that are left undefined for absent", () => {
    const options = { apiKey: undefined, rules: { thinking: undefined } } as object;

    expect(() => ollama("qwen3:8b", options)).not.toThrow();
  });
});

describe("an answer", () => {
  it("has text, thinking, usage and the model's name when it is whole", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say({
      thinking: "Hm.",
      text: "Yes.",
      usage: { promptTokens: 20, completionTokens: 30, totalTokens: 50 },
    });

    expect(await connect().generate(ask)).toEqual({
      text: "Yes.",
      thinking: "Hm.",
      toolCalls: [],
      finishReason: "stop",
      usage: {
        promptTokens: 20,
        completionTokens: 30,
        totalTokens: 50,
        providerMetrics: expect.objectContaining({ eval_count: 30, load_duration: 90_000_000 }) as unknown,
      },
      model: "qwen3:8b",
      vendorState: { providerId: "ollama", modelId: "qwen3:8b", items: { thinking: "Hm." } },
    });
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["load", "other"],
    ["unload", "other"],
    ["constructor", "other"],
    [undefined, "stop"],
  ])("finishes for %s with %s, and counts only what the server counts", async (reason, finishReason) => {
    const { vendor, connect } = await startVendor();
    vendor.plan(linesOf({ done: true, done_reason: reason }));

    expect(await connect().generate(ask)).toMatchObject({
      finishReason,
      usage: { totalTokens: 0, providerMetrics: {} },
    });
  });

  it("has an id for each call, whatever the server gives", async () => {
    const { vendor, connect } = await startVendor();
    const call = (id?: string) => ({ id, function: { name: "look", arguments: { at: id ?? "none" } } });
    vendor.plan(
      linesOf(
        { message: { tool_calls: [call("a"), call("a"), call(""), call()] } },
        { message: { tool_calls: [{ function: { name: "look" } }] }, done: true, done_reason: "stop" },
      ),
    );

    const { toolCalls, finishReason, malformedArguments } = await connect().generate(ask, { tools });

    expect(toolCalls.map((each) => each.arguments)).toEqual([{ at: "a" }, { at: "a" }, { at: "" }, { at: "none" }, {}]);
    expect(toolCalls[0]?.id).toBe("a");
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(5);
    expect([finishReason, malformedArguments]).toEqual(["tool_calls", undefined]);
  });

  it("may say null where others say nothing", async () => {
    const { vendor, connect } = await startVendor();
    const call = { id: null, function: { name: "look", arguments: null } };
    vendor.plan(
      linesOf(
        { message: { content: null, thinking: null, tool_calls: null }, error: null },
        { message: { content: "Yes.", tool_calls: [call] } },
        { done: true, done_reason: null, prompt_eval_count: null, eval_count: 3 },
      ),
    );

    expect(await connect().generate(ask, { tools })).toMatchObject({
      text: "Yes.",
      toolCalls: [{ id: expect.stringMatching(/./), name: "look", arguments: {} }],
      finishReason: "tool_calls",
      usage: { promptTokens: 0, completionTokens: 3, totalTokens: 3 },
    });
  });

  it("ends with its last line, with or without a line end, and whatever follows", async () => {
    const { vendor, connect } = await startVendor();
    const end = '{"done":true,"done_reason":"stop"}';
    const frames = [[`\n\r\n{"message":{"content":"Yes."}}\r\n${end}`], [`${end}\n{"error":"too late"}\n`]];
    for (const each of frames) vendor.plan({ raw: { status: 200, headers: {}, frames: each } });

    expect(await connect().generate(ask)).toMatchObject({ text: "Yes.", finishReason: "stop" });
    expect(await connect().generate(ask)).toMatchObject({ finishReason: "stop" });
  });

  it.each([
    ["half a line", '{"done":true', { networkCode: "ECONNRESET" }],
    ["a failure with status 200", '{"error":"no memory"}\n', { status: 500 }],
    ["a failure that is no text", '{"error":{"code":1}}\n', { status: 500 }],
    ["null", "null\n", { networkCode: "ECONNRESET" }],
  ])("is a failure of the model when it is %s", async (_, text, failure) => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ raw: { status: 200, headers: {}, frames: [text] } });

    await expect(connect().generate(ask)).rejects.toMatchObject({
      name: "ModelError",
      code: "model_failed",
      ...failure,
    });
  });

  it("may take longer to begin than it may pause", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ answer: "Yes.", delivery: { delayMs: 2000 } });

    expect(await connect(undefined, { idleTimeoutMs: 50 }).generate(ask)).toMatchObject({ text: "Yes." });
  });
});
