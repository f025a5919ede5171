import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failureOf } from "../../testing/conformance/assert.ts";
import { callClient, openSdkStream } from "./client-call.ts";

const silent = { code: "ETIMEDOUT", message: "The client was silent for too long." };

/** A stream whose next event comes when the test says so. */
function slowStream() {
  let give: (step: IteratorResult<object>) => void = () => undefined;
  const next = async () => await new Promise<IteratorResult<object>>((resolve) => (give = resolve));
  const iterator = { next, return: vi.fn<() => Promise<void>>(async () => undefined) };
  return { stream: { [Symbol.asyncIterator]: () => iterator }, give: (value: object) => give({ done: false, value }) };
}

describe("the times of a client's call", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("ends a whole answer that does not come in time, at that time, and leaves no timer", async () => {
    let leave: AbortSignal | undefined;
    const failure = failureOf(
      callClient((signal) => ((leave = signal), new Promise(() => undefined)), { timeoutMs: 50 }),
    );
    await vi.advanceTimersByTimeAsync(49);
    expect(leave?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failure).toMatchObject(silent);
    expect(leave?.reason).toMatchObject(silent);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [{ timeoutMs: 50, idleTimeoutMs: 200 }, 200],
    [{ timeoutMs: 200, idleTimeoutMs: 50 }, 50],
    [{ timeoutMs: 50 }, 50],
  ])("%j let each event of a stream take %d ms, from the time at which it is asked for", async (limits, ms) => {
    const { stream, give } = slowStream();
    const events = await openSdkStream(async () => stream, limits);
    for (const a of [1, 2]) {
      await vi.advanceTimersByTimeAsync(1000);
      const reading = events.next();
      await vi.advanceTimersByTimeAsync(ms - 1);
      give({ a });
      expect(await reading).toEqual({ done: false, value: [{ a }] });
      expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
    }
    const late = failureOf(events.next());
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await late).toMatchObject(silent);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leave no timer at the end of a stream, with an answer in place of one, and when its reader leaves", async () => {
    const limits = { timeoutMs: 50, idleTimeoutMs: 60 };
    await Array.fromAsync(await openSdkStream(async () => ({ text: "whole" }), limits));
    expect(vi.getTimerCount()).toBe(0);
    const left = await openSdkStream(async () => slowStream().stream, limits);
    await left.return?.();
    await left.return?.();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the signal of a client's call", () => {
  it("ends a whole answer that is waited for, and the request with its reason", async () => {
    const controller = new AbortController();
    const reason = new Error("left");
    let leave: AbortSignal | undefined;
    const asking = callClient((signal) => ((leave = signal), new Promise(() => undefined)), {
      timeoutMs: 60_000,
      signal: controller.signal,
    });
    const failure = failureOf(asking);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    controller.abort(reason);
    expect(await failure).toBe(reason);
    expect([leave?.aborted, leave?.reason]).toEqual([true, reason]);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("the signal of a client's call that has aborted before calls no method of the client", async () => {
    const ask = vi.fn<() => Promise<string>>(async () => "late");
    const reason = new Error("left");
    const limits = { timeoutMs: 60_000, signal: AbortSignal.abort(reason) };
    await expect(callClient(ask, limits)).rejects.toBe(reason);
    await expect(openSdkStream(ask, limits)).rejects.toBe(reason);
    expect(ask).not.toHaveBeenCalled();
  });

  it("is not aborted by a call that succeeds, also afterwards", async () => {
    const controller = new AbortController();
    let leave: AbortSignal | undefined;
    const limits = { timeoutMs: 60_000, signal: controller.signal };
    expect(await callClient(async (signal) => ((leave = signal), "whole"), limits)).toBe("whole");
    controller.abort();
    expect(leave?.aborted).toBe(false);
  });
});

it("an error that the client throws at once ends the call as one that it rejects with, and is converted once", async () => {
  const refused = new Error("refused");
  const toError = vi.fn<(thrown: unknown) => unknown>((thrown) => new Error("ours", { cause: thrown }));
  const thrown = openSdkStream(
    () => {
      throw refused;
    },
    { timeoutMs: 60_000, toError },
  );
  await expect(thrown).rejects.toMatchObject({ message: "ours", cause: refused });
  expect(toError).toHaveBeenCalledExactlyOnceWith(refused);
});

it.each<[what: string, wrap: (abort: () => void) => object]>([
  ["abort", (abort) => ({ abort })],
  ["controller", (abort) => ({ controller: { abort } })],
])("a stream that fails is ended by its %s", async (_what, wrap) => {
  const abort = vi.fn<() => void>();
  const failing = async function* (): AsyncGenerator {
    yield { a: 1 };
    throw new Error("cut");
  };
  const result = Object.assign(failing(), wrap(abort));
  const events = await openSdkStream(async () => result, { timeoutMs: 60_000 });
  expect(await events.next()).toEqual({ done: false, value: [{ a: 1 }] });
  await expect(events.next()).rejects.toThrow("cut");
  await expect(events.next()).rejects.toThrow("cut");
  expect(abort).toHaveBeenCalledOnce();
});
