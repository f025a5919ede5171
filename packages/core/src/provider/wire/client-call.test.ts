import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { callClient, openSdkStream } from "./client-call.ts";
import type { ClientLimits } from "./client-call.ts";
import { WholeAnswer } from "./stream-events.ts";

const limits: ClientLimits = { timeoutMs: 60_000 };

async function* generate() {
  yield* [{ a: 1 }, null, { a: 2 }];
}

/** A stream of a client that heeds nothing: neither its signal nor that its reader leaves. */
function deafStream(first: readonly object[] = []) {
  const events = [...first];
  const next = async (): Promise<IteratorResult<object>> => {
    const value = events.shift();
    return value === undefined ? await new Promise(() => undefined) : { done: false, value };
  };
  const left = vi.fn<() => Promise<IteratorResult<object>>>(async () => await new Promise(() => undefined));
  return { left, stream: { [Symbol.asyncIterator]: () => ({ next, return: left }) } };
}

async function collect(events: AsyncIterable<readonly unknown[]>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const batch of events) all.push(...batch);
  return all;
}

describe("openSdkStream", () => {
  it("gives each event of the client's stream, and takes no end for an early one", async () => {
    let signal: AbortSignal | undefined;
    const events = await openSdkStream(async (given) => ((signal = given), generate()), limits);

    expect(await collect(events)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(signal?.aborted).toBe(false);
  });

  it("aborts the request when the reader leaves, and does not wait for a client that heeds nothing", async () => {
    const { stream, left } = deafStream([{ a: 1 }]);
    let signal: AbortSignal | undefined;
    const abort = vi.fn<() => void>();
    const events = await openSdkStream(async (given) => ((signal = given), { ...stream, abort }), limits);

    for await (const batch of events) if (batch.length > 0) break;

    expect(signal?.aborted).toBe(true);
    expect(left).toHaveBeenCalledOnce();
    expect(abort).toHaveBeenCalledOnce();
  });

  it("ends a read that waits when the reader leaves meanwhile", async () => {
    const events = await openSdkStream(async () => deafStream().stream, limits);
    const reading = events.next();

    await events.return?.();

    expect(await reading).toEqual({ done: true, value: undefined });
  });

  it("rejects at once when the signal aborts, and leaves no listener on it", async () => {
    const controller = new AbortController();
    const reason = new Error("left");
    const given = { ...limits, signal: controller.signal };
    const events = await openSdkStream(async () => deafStream().stream, given);
    const reading = events.next();
    controller.abort(reason);

    await expect(reading).rejects.toBe(reason);
    await expect(events.next()).rejects.toBe(reason);
    await expect(openSdkStream(async () => generate(), given)).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("leaves no listener after its end, an early leave or an error", async () => {
    const { signal } = new AbortController();
    const given = { ...limits, signal };
    await collect(await openSdkStream(async () => generate(), given));
    for await (const _ of await openSdkStream(async () => generate(), given)) break;
    const failing = openSdkStream(async () => await Promise.reject(new Error("no")), given);

    await expect(failing).rejects.toThrow("no");
    await callClient(async () => "whole", given);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends as a timeout when no answer begins, and when no further event comes", async () => {
    const late = { code: "ETIMEDOUT" };
    const never = openSdkStream(() => new Promise(() => undefined), { timeoutMs: 20 });
    await expect(never).rejects.toMatchObject(late);
    let signal: AbortSignal | undefined;
    const { stream } = deafStream([{ a: 1 }]);
    const given = { timeoutMs: 60_000, idleTimeoutMs: 20 };
    const events = await openSdkStream(async (leave) => ((signal = leave), stream), given);

    expect(await events.next()).toEqual({ done: false, value: [{ a: 1 }] });
    await expect(events.next()).rejects.toMatchObject(late);
    expect(signal?.aborted).toBe(true);
  });

  it("takes no slow reader for a silent client", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const events = await openSdkStream(async () => generate(), { timeoutMs: 10 });
    await vi.advanceTimersByTimeAsync(50);

    expect(await events.next()).toEqual({ done: false, value: [{ a: 1 }] });
  });

  it("ends a stream that begins after its call has failed", async () => {
    const abort = vi.fn<() => void>();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    await expect(openSdkStream(() => promise, { timeoutMs: 10 })).rejects.toMatchObject({ code: "ETIMEDOUT" });

    resolve({ controller: { abort } });

    await vi.waitFor(() => expect(abort).toHaveBeenCalledOnce());
  });

  it("converts errors of the call and of the stream", async () => {
    const toError = (thrown: unknown) => new Error("ours", { cause: thrown });
    const refused = new Error("refused");
    const failing = async function* (): AsyncGenerator {
      yield { a: 1 };
      throw refused;
    };
    const events = await openSdkStream(async () => failing(), { ...limits, toError });

    await expect(collect(events)).rejects.toMatchObject({ message: "ours", cause: refused });
    const asking = callClient(async () => await Promise.reject(refused), { ...limits, toError });
    await expect(asking).rejects.toMatchObject({ message: "ours", cause: refused });
  });

  it.each([{ text: "whole" }, "<html>", undefined])("gives a result that is no stream whole: %j", async (result) => {
    expect(await collect(await openSdkStream(async () => result, limits))).toEqual([new WholeAnswer(result)]);
  });
});
