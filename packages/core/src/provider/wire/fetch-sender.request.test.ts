import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failureOf } from "../../testing/conformance/assert.ts";
import { sendByFetch } from "./fetch-sender.ts";
import type { FetchFunction } from "./fetch-sender.ts";
import type { HttpInit } from "./http-sender.ts";

const url = "http://vendor.example/";
const late = {
  code: "timeout",
  message: "The server was silent for too long. The cause tells at what point.",
  cause: expect.objectContaining({ code: "ETIMEDOUT", message: "The server was silent for too long." }) as Error,
};

/** A `fetch` that notes its requests, and answers with pieces that the test gives. */
function noting(init: ResponseInit = {}) {
  const sent: [url: string, init: RequestInit][] = [];
  const cancelled = vi.fn<() => void>();
  let body!: ReadableStreamDefaultController<Uint8Array>;
  const send: FetchFunction = async (to, given) => {
    sent.push([to, given]);
    const start = (controller: typeof body) => void (body = controller);
    return new Response(new ReadableStream({ start, cancel: cancelled }), init);
  };
  return { send, sent, cancelled, give: (text: string) => body.enqueue(Buffer.from(text)), end: () => body.close() };
}

describe("a request by a fetch of the user", () => {
  it.each<[init: HttpInit, method: string, body: unknown, headers: object]>([
    [{}, "GET", null, {}],
    [{ method: "POST", body: "hi", headers: { "x-one": "1" } }, "POST", "hi", { "x-one": "1" }],
  ])("of %j has its method, body and headers, follows no redirect, and has a signal of its own", async (...row) => {
    const [init, method, body, headers] = row;
    const { send, sent } = noting();
    const { signal } = new AbortController();
    const reply = await sendByFetch(send, url, { ...init, signal, headersTimeoutMs: 50, idleTimeoutMs: 50 });
    await reply.bytes.return?.();
    expect(sent).toEqual([[url, { method, body, headers, redirect: "manual", signal: expect.any(AbortSignal) }]]);
    expect(sent[0]?.[1].signal).not.toBe(signal);
  });

  it("has headers of its own, which the fetch may change", async () => {
    const { send, sent } = noting();
    const headers = { "x-one": "1" };
    await (await sendByFetch(send, url, { headers })).bytes.return?.();
    expect(sent[0]?.[1].headers).not.toBe(headers);
  });
});

describe("the reply of a fetch of the user", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("has the status, headers and bytes of the response, and leaves nothing at its end", async () => {
    const { signal } = new AbortController();
    const { send, sent, give, end } = noting({ status: 429, headers: { "x-two": "2" } });
    const reply = await sendByFetch(send, url, { signal });
    give("Hi ");
    give("you.");
    end();
    expect([reply.status, reply.headers.get("x-two"), await reply.text()]).toEqual([429, "2", "Hi you."]);
    expect(sent[0]?.[1].signal?.aborted).toBe(false);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has no bytes where the response has no body", async () => {
    const reply = await sendByFetch(async () => new Response(null, { status: 204 }), url);
    expect([reply.status, await reply.bytes.next(), await reply.bytes.return?.()]).toEqual([
      204,
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is left by a reader: the body is cancelled, the request aborted, and nothing stays", async () => {
    const { signal } = new AbortController();
    const { send, sent, cancelled, give } = noting();
    const reply = await sendByFetch(send, url, { signal });
    give("a");
    expect(await reply.bytes.next()).toMatchObject({ done: false });
    expect(await reply.bytes.return?.()).toEqual({ done: true, value: undefined });
    expect(cancelled).toHaveBeenCalledOnce();
    expect(sent[0]?.[1].signal?.reason).toMatchObject({ name: "AbortError", message: "The reply was left unread." });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([301, 307, 308])(
    "the reply of a fetch of the user with the status %d is refused and left",
    async (status) => {
      const { send, sent, cancelled } = noting({ status, headers: { location: "http://other.example/" } });
      await expect(sendByFetch(send, url)).rejects.toMatchObject({ code: "model_failed", fields: { status } });
      expect(cancelled).toHaveBeenCalledOnce();
      expect(sent[0]?.[1].signal?.aborted).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("may take an hour between two reads, and headersTimeoutMs for its head alone", async () => {
    const { send, give } = noting();
    const reply = await sendByFetch(send, url, { headersTimeoutMs: 10, idleTimeoutMs: 100 });
    for (const text of ["a", "b"]) {
      await vi.advanceTimersByTimeAsync(3_600_000);
      const reading = reply.bytes.next();
      await vi.advanceTimersByTimeAsync(99);
      give(text);
      expect(await reading).toMatchObject({ done: false, value: Buffer.from(text) });
    }
    const failure = failureOf(reply.bytes.next());
    await vi.advanceTimersByTimeAsync(99);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failure).toMatchObject(late);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may take a minute where the request names no times", async () => {
    let signal: AbortSignal | null | undefined;
    const never: FetchFunction = async (_url, init) => ((signal = init.signal), await new Promise(() => undefined));
    const failure = failureOf(sendByFetch(never, url));
    await vi.advanceTimersByTimeAsync(59_999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failure).toMatchObject(late);
    expect(signal?.reason).toMatchObject({ code: "timeout" });
  });

  it("follows the signal of its caller, whose reason it ends with, also while nothing is read", async () => {
    const abort = new AbortController();
    const { send, sent } = noting();
    const reply = await sendByFetch(send, url, { signal: abort.signal });
    const reason = new Error("The user left.");
    abort.abort(reason);
    expect(sent[0]?.[1].signal?.reason).toBe(reason);
    await expect(reply.bytes.next()).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("a fetch that fails rejects with its error, and leaves nothing at the signal of its caller", async () => {
  const { signal } = new AbortController();
  const failure = new Error("offline");
  await expect(sendByFetch(async () => await Promise.reject(failure), url, { signal })).rejects.toBe(failure);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
