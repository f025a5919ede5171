import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failureOf } from "../../testing/conformance/assert.ts";
import { callClient, openSdkStream } from "./client-call.ts";

const limits = { timeoutMs: 60_000 };
const end = { done: true, value: undefined };

/** A stream of these events whose methods are watched, with a method `abort` as some clients have it. */
function watchedStream(given: readonly unknown[]) {
  const events = [...given];
  const step = async (): Promise<IteratorResult<unknown>> =>
    await Promise.resolve(events.length === 0 ? end : { done: false, value: events.shift() });
  const next = vi.fn<() => Promise<IteratorResult<unknown>>>(step);
  const left = vi.fn<() => Promise<unknown>>(async () => await Promise.resolve(end));
  const abort = vi.fn<() => void>();
  return { next, left, abort, stream: { abort, [Symbol.asyncIterator]: () => ({ next, return: left }) } };
}

/** Opens a stream, and returns also the signal that its method has got. */
async function open(result: unknown, given: Parameters<typeof openSdkStream>[1] = limits) {
  let leave: AbortSignal | undefined;
  const events = await openSdkStream(async (signal) => await Promise.resolve(((leave = signal), result)), given);
  return { events, leave };
}

describe("a stream of a client", () => {
  it("gives a batch for each event of a stream, empty for one that is no object", async () => {
    const { stream } = watchedStream([{ a: 1 }, "text", 7, null, undefined, true, []]);
    const { events } = await open(stream);

    expect(await Array.fromAsync(events)).toEqual([[{ a: 1 }], [], [], [], [], [], [[]]]);
  });

  it("asks a stream for nothing after its end, and does not leave it then", async () => {
    const { stream, next, left, abort } = watchedStream([{ a: 1 }]);
    const { events, leave } = await open(stream);
    await events.next();

    for (let read = 0; read < 3; read++) expect(await events.next()).toStrictEqual(end);
    expect(await events.return?.()).toStrictEqual(end);
    expect([next.mock.calls.length, left.mock.calls, abort.mock.calls, leave?.aborted]).toEqual([2, [], [], false]);
  });

  it("leaves a stream once when its reader leaves twice, with an AbortError, and gives nothing more", async () => {
    const { stream, next, left, abort } = watchedStream([{ a: 1 }, { a: 2 }]);
    const { events, leave } = await open(stream);
    await events.next();

    expect([await events.return?.(), await events.return?.(), await events.next()]).toStrictEqual([end, end, end]);
    expect([next, left, abort].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
    expect(leave?.reason).toMatchObject({ name: "AbortError" });
  });

  it("gives no value to a read that waits when the reader leaves", async () => {
    const { events } = await open({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) });
    const reading = events.next();

    expect(await events.return?.()).toStrictEqual(end);
    expect(await reading).toStrictEqual(end);
  });

  it("drops the error of a stream that refuses to be left", async () => {
    let left = 0;
    const leave = async (): Promise<IteratorResult<object>> => await Promise.reject(new Error(`busy ${(left += 1)}`));
    const { events } = await open({ [Symbol.asyncIterator]: () => ({ next: leave, return: leave }) });

    expect(await events.return?.()).toStrictEqual(end);
    await new Promise((resolve) => setImmediate(resolve));
    expect(left).toBe(1);
  });

  it("leaves a stream at once when the signal aborts between two reads, and rejects the next ones with its reason", async () => {
    const { stream, next, left, abort } = watchedStream([{ a: 1 }, { a: 2 }]);
    const controller = new AbortController();
    const reason = new Error("enough");
    const { events, leave } = await open(stream, { ...limits, signal: controller.signal });
    await events.next();
    controller.abort(reason);

    expect([left.mock.calls.length, abort.mock.calls.length, leave?.reason]).toEqual([1, 1, reason]);
    expect([await failureOf(events.next()), await failureOf(events.next())]).toEqual([reason, reason]);
    expect(await events.return?.()).toStrictEqual(end);
    expect([next.mock.calls.length, left.mock.calls.length, abort.mock.calls.length]).toEqual([1, 1, 1]);
  });

  it("fails with the error of a stream that cannot be iterated, and leaves no listener", async () => {
    const { signal } = new AbortController();
    const used = new Error("It was read before.");
    const result = {
      [Symbol.asyncIterator]: () => {
        throw used;
      },
    };

    expect(await failureOf(open(result, { ...limits, signal }))).toBe(used);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("a whole answer of a client", () => {
  it("returns a whole answer as it is, and does not end it", async () => {
    const abort = vi.fn<() => void>();
    const answer = { abort, controller: { abort } };

    expect(await callClient(async () => await Promise.resolve(answer), limits)).toBe(answer);
    expect(abort).not.toHaveBeenCalled();
  });

  it("rejects with what a client threw if its conversion returns undefined, and ends the request with it", async () => {
    const refused = new Error("refused");
    let leave: AbortSignal | undefined;
    const asking = callClient(async (signal) => await Promise.reject(((leave = signal), refused)), {
      ...limits,
      toError: () => undefined,
    });

    expect(await failureOf(asking)).toBe(refused);
    expect(leave?.reason).toBe(refused);
  });

  it("ends an answer that comes after its call was aborted, by its abort and by that of its controller", async () => {
    const [abort, abortController] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const failure = failureOf(callClient(() => promise, { ...limits, signal: controller.signal }));
    controller.abort();
    expect(await failure).toMatchObject({ name: "AbortError" });
    resolve({ abort, controller: { abort: abortController } });
    await new Promise((settled) => setImmediate(settled));

    expect([abort.mock.calls, abortController.mock.calls]).toEqual([[[]], [[]]]);
  });
});

describe("the time of a client's call in a busy process", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("gives an event that has arrived when a busy process notices the end of its time, and waits as long for the next", async () => {
    let give: (step: IteratorResult<object>) => void = () => undefined;
    const next = async () => await new Promise<IteratorResult<object>>((resolve) => (give = resolve));
    const { events } = await open({ [Symbol.asyncIterator]: () => ({ next }) }, { timeoutMs: 50 });
    const first = events.next();
    vi.advanceTimersByTime(50);
    give({ done: false, value: { a: 1 } });

    expect(await first).toEqual({ done: false, value: [{ a: 1 }] });
    const second = failureOf(events.next());
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(49);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await second).toMatchObject({ code: "ETIMEDOUT" });
  });
});
