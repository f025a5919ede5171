import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { gather, startVendor } from "../test/vendor.ts";
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
    ["baseUrl", { baseUrl: "http://localhost:11434" }, /Unknown option "baseUrl" of ollama. Expected apiKey, baseURL/],
    ["an empty key", { apiKey: "" }, /^apiKey must be/],
    ["an address without a scheme", { baseURL: "localhost:11434" }, /^baseURL must be/],
    ["an address with a key", { baseURL: "https://user:secret@example.com" }, /^baseURL must be/],
    ["an address with a query", { baseURL: "https://example.com?key=secret" }, /^baseURL must be/],
    ["no room at all", { contextLength: 0 }, /^contextLength must be/],
    ["half a token", { contextLength: 0.5 }, /^contextLength must be/],
    ["no time at all", { idleTimeoutMs: 0 }, /^idleTimeoutMs must be/],
    ["endless time", { timeoutMs: Infinity }, /^timeoutMs must be/],
    ["rules of nothing", { rules: null }, /^rules must be an object/],
    ["an unknown rule", { rules: { vision: true } }, /Unknown option "vision" of rules. Expected thinking or tools/],
    ["a wrong rule", { rules: { thinking: "much" } }, /^rules.thinking must be "levels", "switch" or "none"/],
    ["another wrong rule", { rules: { tools: "some" } }, /^rules.tools must be true or false/],
    ["no logger", { logger: () => undefined }, /^logger must be/],
    ["no options", null, /^The options of ollama must be an object/],
  ])("refuses %s where it is given", (_, options, message) => {
    const make = () => ollama("qwen3:8b", options as object);

    expect(make).toThrow(expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }));
    expect(make).not.toThrow(/secret/);
    expect(() => ollama(" ")).toThrow(/^modelId must be/);
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
    ["nothing at all", "", { networkCode: "ECONNRESET" }],
    ["a page of HTML", "<html>", { networkCode: "ECONNRESET" }],
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

  it("whose line never ends is given up", async () => {
    const { vendor, connect } = await startVendor();
    const frames = Array.from({ length: 40 }, () => "x".repeat(1_000_000));
    vendor.plan({ raw: { status: 200, headers: {}, frames } });

    await expect(connect().generate(ask)).rejects.toMatchObject({ code: "model_failed" });
    await expect.poll(() => vendor.exchanges[0]?.end).toBe("abandoned");
  });

  it("may take longer to begin than it may pause", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ answer: "Yes.", delivery: { delayMs: 2000 } });

    expect(await connect(undefined, { idleTimeoutMs: 50 }).generate(ask)).toMatchObject({ text: "Yes." });
  });
});

describe("a call", () => {
  it.each(["before-headers", { afterBytes: 20 }] as const)(
    "ends at once when its signal aborts, silent %j",
    async (at) => {
      const { vendor, connect } = await startVendor();
      vendor.plan({ answer: "never heard", delivery: { fault: { kind: "hang", at } } });
      const abort = new AbortController();

      const failed = connect()
        .generate(ask, { signal: abort.signal })
        .catch((error: unknown) => error);
      await expect.poll(() => vendor.exchanges[0]?.end).toBe("open");
      abort.abort();

      expect(await failed).toMatchObject({ code: "cancelled" });
      await expect.poll(() => vendor.exchanges[0]?.end).toBe("abandoned");
      expect(vendor.openConnections).toBe(0);
    },
  );

  it("gives no more of what has come once its signal has aborted", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan(linesOf({ message: { content: "one" } }, { message: { content: "two" } }, { done: true }));
    const abort = new AbortController();
    const texts: string[] = [];

    const read = async () => {
      for await (const chunk of connect().stream(ask, { signal: abort.signal })) {
        if (chunk.type === "text") texts.push(chunk.text);
        abort.abort();
      }
    };

    await expect(read()).rejects.toMatchObject({ code: "cancelled" });
    expect(texts).toEqual(["one"]);
  });

  it("ends the server's work and its socket when it is left early", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ answer: { text: ["one", "two", "three"] }, delivery: { pieceDelayMs: 20 } });

    for await (const chunk of connect().stream(ask)) if (chunk.type === "text") break;

    await expect.poll(() => vendor.exchanges[0]?.end).toBe("abandoned");
    await expect.poll(() => vendor.openConnections).toBe(0);
  });

  /** A server that says all at once, and ends its answer so much later. */
  async function startSlowEnder(endMs: number) {
    const server = createServer((_, response) => {
      response.write('{"done":true}\n');
      setTimeout(() => response.end(), endMs).unref();
    });
    let connections = 0;
    server.on("connection", () => (connections += 1));
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const model = ollama("m", { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    return { model, connections: () => connections };
  }

  it("leaves its socket for the next when it is read to its end", async () => {
    const { model, connections } = await startSlowEnder(50);

    for (let asked = 0; asked < 5; asked += 1) await gather(model.stream(ask));

    expect(connections()).toBeLessThanOrEqual(2);
  });

  it("is over soon after its last line, though its server keeps the connection", async () => {
    const { model } = await startSlowEnder(60_000);

    const { chunks, error } = await gather(model.stream(ask));

    expect([chunks, error]).toMatchObject([[{ type: "finish", finishReason: "stop" }], undefined]);
  });

  it("writes nothing to the console, whatever comes", async () => {
    const { vendor, connect } = await startVendor();
    const printed = (["log", "warn", "error", "info", "debug"] as const).map((name) =>
      vi.spyOn(console, name).mockReturnValue(),
    );
    vendor.plan(
      { raw: { status: 200, headers: {}, frames: ["no JSON\n"] } },
      { raw: { status: 500, headers: { "content-type": "text/html" }, frames: ["<html>"] } },
      { raw: { status: 500, headers: { "content-type": "application/json" }, frames: ["{"] } },
    );
    for (let asked = 0; asked < 3; asked += 1) await gather(connect().stream(ask));

    expect(printed.flatMap((spy) => spy.mock.calls)).toEqual([]);
    for (const spy of printed) spy.mockRestore();
  });
});
