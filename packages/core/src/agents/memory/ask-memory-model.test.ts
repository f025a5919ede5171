import { afterEach, describe, expect, it, vi } from "vitest";
import { ModelError } from "../../base/errors/model-error.ts";
import { noUsage } from "../../base/message/token-usage.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ModelAttemptEnd } from "../../model/model-attempt.ts";
import type { ModelCallOptions } from "../../model/model-config.ts";
import { fallbackModel } from "../../model/fallback-model.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { askMemoryModel } from "./ask-memory-model.ts";

const messages = [{ role: "user", content: "Hi" }] as const;
const down = { error: new ModelError({ providerId: "scripted", status: 503 }) };

/** A model that calls others, and keeps the options of its calls. */
function manyModels() {
  const calls: ModelCallOptions[] = [];
  const model: ModelProvider = {
    providerId: "one",
    modelId: "one-1",
    providerIds: ["one", "two"],
    generate: async (_messages, options = {}) => {
      calls.push(options);
      return await Promise.resolve({
        text: "Many.",
        toolCalls: [],
        usage: scriptedUsage,
        finishReason: "stop" as const,
      });
    },
    async *stream() {},
  };
  return { model, calls };
}

/** Listeners that keep what a call reports. */
function listeners() {
  const seen: unknown[] = [];
  const onUsage = (usage: TokenUsage) => void seen.push(usage);
  const onModelCall = ({ modelId }: { modelId: string }) => {
    seen.push(modelId);
    return (attempt: number) => (seen.push(attempt), (end: ModelAttemptEnd) => void seen.push(end));
  };
  return { seen, onUsage, onModelCall };
}

afterEach(() => void vi.useRealTimers());

describe("askMemoryModel", () => {
  it("returns the text of the answer, and gives the model its settings and its vendor's key", async () => {
    const model = new ScriptedModel({ text: "Fine.", responseId: "r" });
    const { seen, ...listening } = listeners();
    const apiKeyFor = (providerId: string) => `key of ${providerId}`;
    const config = { temperature: 0, maxTokens: 9 };

    expect(await askMemoryModel({ model, messages, config, apiKeyFor, ...listening })).toBe("Fine.");
    expect(model.calls[0]).toMatchObject({ kind: "generate", messages });
    const { signal, ...options } = model.calls[0]?.options ?? {};
    expect(options).toStrictEqual({ ...config, apiKey: "key of scripted" });
    expect(seen).toEqual([
      "scripted-1",
      1,
      scriptedUsage,
      expect.objectContaining({ usage: scriptedUsage, responseId: "r" }),
    ]);
    expect(signal?.aborted).toBe(true);
  });

  it("needs no listeners and no key", async () => {
    const model = new ScriptedModel("Fine.");

    expect(await askMemoryModel({ model, messages })).toBe("Fine.");
    expect(Object.keys(model.calls[0]?.options ?? {})).toEqual(["signal"]);
  });

  it("reports each attempt, counted from 1, and the usage of the answer alone", async () => {
    vi.useFakeTimers();
    const model = new ScriptedModel(down, down, "Fine.");
    const { seen, ...listening } = listeners();
    const asking = askMemoryModel({ model, messages, ...listening });
    await vi.advanceTimersByTimeAsync(30_000);

    expect(await asking).toBe("Fine.");
    const failed = { error: down.error };
    expect(seen).toEqual([
      "scripted-1",
      1,
      failed,
      2,
      failed,
      3,
      scriptedUsage,
      expect.objectContaining({ usage: scriptedUsage }),
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("passes on a failure that no retry mends, at once", async () => {
    const refused = new ModelError({ providerId: "scripted", status: 400 });
    const model = new ScriptedModel({ error: refused });
    const { seen, ...listening } = listeners();

    await expect(askMemoryModel({ model, messages, ...listening })).rejects.toBe(refused);
    expect(seen).toEqual(["scripted-1", 1, { error: refused }]);
  });

  it("counts a usage that is missing as none", async () => {
    const { model } = manyModels();
    const generate = async () => ({ ...(await model.generate([])), usage: undefined as unknown as TokenUsage });
    const { seen, onUsage } = listeners();
    await askMemoryModel({ model: { ...model, generate }, messages, onUsage });

    expect(seen).toEqual([noUsage]);
  });

  it("gives a model that calls others the keys of all, and lets it report their calls", async () => {
    const { model, calls } = manyModels();
    const { seen, ...listening } = listeners();
    const keys: Record<string, string> = { one: "key-1", two: "key-2", three: "key-3" };
    await askMemoryModel({ model, messages, apiKeyFor: (id) => keys[id], ...listening });
    const [options] = calls;
    options?.onModelCall?.({ providerId: "two", modelId: "two-1" })({ usage: noUsage });
    options?.onLostUsage?.(noUsage);

    expect(options).toMatchObject({ apiKey: "key-1", apiKeys: { one: "key-1", two: "key-2" } });
    expect(seen).toEqual([scriptedUsage, "two-1", 1, { usage: noUsage }, noUsage]);
    const silent = manyModels();
    await askMemoryModel({ model: silent.model, messages, onModelCall: () => undefined });
    expect(silent.calls[0]?.onModelCall?.({ providerId: "two", modelId: "two-1" })({ usage: noUsage })).toBeUndefined();
    await askMemoryModel({ model: silent.model, messages });
    expect(silent.calls[1]?.onModelCall).toBeUndefined();
  });

  it("waits 60 seconds in all for a model that ignores its signal, or until its caller aborts", async () => {
    vi.useFakeTimers();
    const deaf = { ...manyModels().model, generate: () => new Promise<never>(() => {}) };
    const ask = (signal?: AbortSignal) =>
      askMemoryModel({ model: deaf, messages, signal }).catch((error: unknown) => error);
    let late: unknown;
    void ask().then((error) => (late = error));
    await vi.advanceTimersByTimeAsync(59_999);
    expect(late).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(late).toMatchObject({
      code: "timeout",
      message: "The model call of the memory took longer than its limit of 60000 ms.",
    });

    const abort = new AbortController();
    const asking = ask(abort.signal);
    abort.abort();
    expect(await asking).toMatchObject({ code: "cancelled" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["the limit of 60 seconds", "timeout"],
    ["the caller's abort", "cancelled"],
  ])("ends the pause before a retry with %s, and does not call the model again", async (_, code) => {
    vi.useFakeTimers();
    const abort = new AbortController();
    const overloaded = new ModelError({ providerId: "one", status: 503, retryAfterMs: 10_000 });
    let calls = 0;
    const generate = async () => {
      calls += 1;
      return await new Promise<never>((_resolve, reject) => {
        setTimeout(() => reject(overloaded), 55_000);
      });
    };
    const model = { ...manyModels().model, generate };
    const asking = askMemoryModel({ model, messages, signal: abort.signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(59_999);
    expect({ calls, timers: vi.getTimerCount() }).toEqual({ calls: 1, timers: 2 });
    if (code === "cancelled") abort.abort();
    else await vi.advanceTimersByTimeAsync(1);

    expect(await asking).toMatchObject({ code });
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toBe(1);
  });

  it.each([
    ["onUsage alone", false],
    ["onUsage and onModelCall", true],
  ])("reports the usage of a fallback model's failed call to %s", async (_, hasReport) => {
    const failed = { promptTokens: 3, completionTokens: 1, totalTokens: 4 };
    const outer = fallbackModel(
      new ScriptedModel({ text: "", finishReason: "error", usage: failed }),
      new ScriptedModel({ error: new ModelError({ providerId: "scripted", status: 400 }) }),
    );
    const usages: TokenUsage[] = [];
    const onUsage = (usage: TokenUsage) => void usages.push(usage);
    const onModelCall = hasReport ? () => undefined : undefined;

    await expect(askMemoryModel({ model: outer, messages, onUsage, onModelCall })).rejects.toMatchObject({
      code: "model_failed",
    });
    expect(usages).toEqual([failed]);
  });
});
