import { getEventListeners } from "node:events";
import type { ChatMessage } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentModels } from "../test/silent-model.ts";
import type { Silence, SilentModels } from "../test/silent-model.ts";
import { fromAiSdk } from "./index.ts";

type Times = { timeoutMs?: number; idleTimeoutMs?: number };
type Call = (models: SilentModels, times: Times, options: ModelCallOptions) => Promise<unknown>;

const question: ChatMessage[] = [{ role: "user", content: "Umbrella?" }];
const tools = [{ name: "look", description: "Looks.", parameters: { type: "object" as const } }];
const words = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Yes" },
];

const generate: Call = async ({ language }, times, options) =>
  await fromAiSdk(language, times).generate(question, options);
const useTools: Call = async ({ language }, times, options) =>
  await fromAiSdk(language, times).generate(question, { ...options, tools });
const stream: Call = async ({ language }, times, options) =>
  await Array.fromAsync(fromAiSdk(language, times).stream(question, options));
const embed: Call = async ({ embedding }, { timeoutMs }, options) =>
  await fromAiSdk(embedding, { timeoutMs }).embed("rain", options);
const embedBatch: Call = async ({ embedding }, { timeoutMs }, options) =>
  await fromAiSdk(embedding, { timeoutMs }).embedBatch(["rain", "sun"], options);

/** Every call that waits for a vendor, what the vendor does before its silence, and the option that ends the wait. */
const calls: [name: string, call: Call, silence: Silence, limit: keyof Times][] = [
  ["a whole answer", generate, {}, "timeoutMs"],
  ["a whole answer that is asked for twice", generate, { refusesFirst: true }, "timeoutMs"],
  ["a whole answer with tools", useTools, {}, "idleTimeoutMs"],
  ["a whole answer with tools that has begun", useTools, { parts: words }, "idleTimeoutMs"],
  ["a stream", stream, {}, "idleTimeoutMs"],
  ["a stream that is asked for twice", stream, { refusesFirst: true }, "idleTimeoutMs"],
  ["a stream that has begun", stream, { parts: words }, "idleTimeoutMs"],
  ["an embedding", embed, {}, "timeoutMs"],
  ["a batch of embeddings", embedBatch, {}, "timeoutMs"],
];
const cases = calls.flatMap(([name, ...rest]) =>
  (["v3", "v4"] as const).map((version) => [name, version, ...rest] as const),
);
const defaults = { timeoutMs: 600_000, idleTimeoutMs: 60_000 };

/** Begins a call of a silent vendor. */
function begin(call: Call, models: SilentModels, { times = {}, signal }: { times?: Times; signal?: AbortSignal }) {
  let failure: unknown;
  const over = call(models, times, signal === undefined ? {} : { signal }).catch(
    (thrown: unknown) => (failure = thrown),
  );
  return { over, failure: () => failure };
}

describe("the signal of a call", () => {
  it.each(cases)("ends %s of specification %s, here and, with its reason, at the vendor", async (...given) => {
    const [, version, call, silence] = given;
    const models = silentModels(version, silence);
    const controller = new AbortController();
    const reason = new Error("left");
    const { over, failure } = begin(call, models, { signal: controller.signal });
    await models.silent;
    expect([models.signals.at(-1)?.aborted, failure()]).toEqual([false, undefined]);
    controller.abort(reason);
    await over;

    expect(failure()).toMatchObject({ code: "cancelled" });
    expect(models.signals.map((signal) => signal?.reason as unknown)).toEqual(models.signals.map(() => reason));
    expect(models.signals).toHaveLength(silence.refusesFirst === true ? 2 : 1);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it.each(cases)("keeps the vendor from being asked for %s of specification %s if it is over", async (...given) => {
    const [, version, call, silence] = given;
    const models = silentModels(version, silence);
    const { over, failure } = begin(call, models, { signal: AbortSignal.abort(new Error("left")) });
    await over;

    expect(failure()).toMatchObject({ code: "cancelled" });
    expect(models.signals).toEqual([]);
  });
});

describe("the time of a call", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  /** Asserts that a call waits for so long and no longer. */
  async function expectEnd(models: SilentModels, { over, failure }: ReturnType<typeof begin>, ms: number) {
    await models.silent;
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect([models.signals.at(-1)?.aborted, failure()]).toEqual([false, undefined]);
    await vi.advanceTimersByTimeAsync(1);
    // A call first reads what has arrived when its time is over.
    await new Promise((resolve) => setImmediate(resolve));
    expect(models.signals.at(-1)?.aborted).toBe(true);
    await over;
    expect(failure()).toMatchObject({ code: "timeout" });
    expect(vi.getTimerCount()).toBe(0);
  }

  it.each(cases)(
    "the time of a call of %s of specification %s ends at its own option, whichever is longer",
    async (...given) => {
      const [, version, call, silence, limit] = given;
      for (const times of [
        { timeoutMs: 50, idleTimeoutMs: 200 },
        { timeoutMs: 200, idleTimeoutMs: 50 },
      ]) {
        const models = silentModels(version, silence);
        await expectEnd(models, begin(call, models, { times }), times[limit]);
      }
    },
  );

  it.each(cases)("the time of a call of %s of specification %s ends at the default", async (...given) => {
    const [, version, call, silence, limit] = given;
    const models = silentModels(version, silence);
    await expectEnd(models, begin(call, models, {}), defaults[limit]);
  });
});
