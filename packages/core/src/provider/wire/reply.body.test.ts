import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { drainReply, leaveSoon, readReplyHeader, ReplyBodyIterator, toFetchHeaders } from "./reply.ts";

const over = { done: true, value: undefined };
const bytes = (text: string | number) => Buffer.from(typeof text === "number" ? "x".repeat(text) : text);
const piece = (text: string) => ({ done: false, value: bytes(text) });

function bodyOf(signal?: AbortSignal) {
  const flow: string[] = [];
  const reasons: unknown[] = [];
  const body = new ReplyBodyIterator(
    {
      pause: () => void flow.push("pause"),
      resume: () => void flow.push("resume"),
      abort: (reason) => (flow.push("abort"), void reasons.push(reason)),
    },
    signal,
  );
  return { body, flow, reasons };
}

describe("the body of a reply", () => {
  it("gives a reader that waits each piece as it comes, and then its end, again and again", async () => {
    const { body, flow } = bodyOf();
    for (const text of ["a", "b"]) {
      const reading = body.next();
      body.push(bytes(text));
      expect(await reading).toEqual(piece(text));
    }
    const last = body.next();
    body.end();
    expect([await last, await body.next(), await body.next()]).toEqual([over, over, over]);
    expect(flow).toEqual([]);
  });

  it("gives all that came before a read as one piece, one alone as it is, and both before the end", async () => {
    const { body } = bodyOf();
    const first = bytes("a");
    body.push(first);
    expect((await body.next()).value).toBe(first);
    for (const text of ["b", "c", "d"]) body.push(bytes(text));
    body.end();
    body.push(bytes("late"));
    expect([await body.next(), await body.next()]).toEqual([piece("bcd"), over]);
  });

  it("pauses its connection once from 65,536 unread bytes, resumes it once they are read, and so again", async () => {
    const { body, flow } = bodyOf();
    body.push(bytes(65_535));
    expect(flow).toEqual([]);
    body.push(bytes(1));
    body.push(bytes(1));
    expect(flow).toEqual(["pause"]);
    expect((await body.next()).value).toHaveLength(65_537);
    expect(flow).toEqual(["pause", "resume"]);
    body.push(bytes(65_535));
    await body.next();
    expect(flow).toEqual(["pause", "resume"]);
    body.push(bytes(65_536));
    await body.next();
    expect(flow).toEqual(["pause", "resume", "pause", "resume"]);
  });

  it("does not count bytes that a waiting reader got at once", async () => {
    const { body, flow } = bodyOf();
    const reading = body.next();
    body.push(bytes(100_000));
    await reading;
    body.push(bytes(65_535));
    expect(flow).toEqual([]);
  });

  it("refuses a second reader while one waits, and keeps the first", async () => {
    const { body } = bodyOf();
    const first = body.next();
    await expect(body.next()).rejects.toThrow(new TypeError("A read of this body is already waiting."));
    body.push(bytes("a"));
    expect(await first).toEqual(piece("a"));
  });

  it("the body of a reply that breaks off gives what came before, and then the failure each time", async () => {
    const { body } = bodyOf();
    const failure = new Error("reset");
    body.push(bytes("a"));
    body.fail(failure);
    body.fail(new Error("again"));
    body.end();
    expect(await body.next()).toEqual(piece("a"));
    for (let reads = 0; reads < 2; reads++) await expect(body.next()).rejects.toBe(failure);

    const waiting = bodyOf();
    const reading = waiting.body.next();
    waiting.body.fail(failure);
    await expect(reading).rejects.toBe(failure);
  });

  it("the body of a reply that has ended does not break off any more", async () => {
    const { body } = bodyOf();
    body.end();
    body.fail(new Error("reset"));
    body.abort(new Error("left"));
    expect(await body.next()).toEqual(over);
  });

  it("drops what is unread when its reading is aborted, also where it has come as a whole", async () => {
    const reason = new Error("left");
    const { body } = bodyOf();
    body.push(bytes("a"));
    body.end();
    body.abort(reason);
    await expect(body.next()).rejects.toBe(reason);

    const abort = new AbortController();
    const whole = bodyOf(abort.signal);
    whole.body.push(bytes("a"));
    whole.body.end();
    abort.abort(reason);
    await expect(whole.body.next()).rejects.toBe(reason);
  });

  it("closes its connection when a reader leaves before the end, once, and not after the end", async () => {
    const { body, flow, reasons } = bodyOf();
    body.push(bytes("a"));
    const [left, again] = [await body.return(), await body.return()];
    expect([left, again, await body.next()]).toEqual([over, over, over]);
    expect(flow).toEqual(["abort"]);
    expect(reasons).toEqual([new Error("The reply was left unread.")]);

    const ended = bodyOf();
    ended.body.push(bytes("a"));
    ended.body.end();
    await ended.body.return();
    expect([ended.flow, await ended.body.next()]).toEqual([[], over]);
  });

  it("ends a read that waits when another leaves", async () => {
    const { body } = bodyOf();
    const reading = body.next();
    await body.return();
    expect(await reading).toEqual(over);
  });
});

it.each([
  [{ a: "1" }, "a", "1"],
  [{ a: ["1", "2"] }, "a", "1, 2"],
  [{ a: [] }, "a", ""],
  [{ a: "" }, "a", ""],
  [{ a: undefined }, "a", undefined],
  [{}, "a", undefined],
])("a reply with the headers %j has %s as %j", (headers, name, value) => {
  expect(readReplyHeader(headers, name)).toBe(value);
});

it("headers become standard ones, each value of its own", () => {
  const headers = toFetchHeaders({ "set-cookie": ["a=1", "b=2"], "x-one": "1", "x-none": undefined });
  expect([...headers]).toEqual([
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
    ["x-one", "1"],
  ]);
});

describe("the rest of a reply whose content is complete", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it.each<[how: string, next: () => Promise<IteratorResult<unknown>>]>([
    ["ends", async () => ({ done: true, value: undefined })],
    ["fails", async () => await Promise.reject(new Error("reset"))],
  ])("that %s is not left, and no timer stays", async (_how, next) => {
    const left = vi.fn<() => Promise<IteratorResult<unknown>>>();
    await drainReply({ next, return: left });
    vi.advanceTimersByTime(60_000);
    expect(left).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is left once", () => {
    const leave = vi.fn<() => void>();
    leaveSoon(leave);
    vi.advanceTimersByTime(60_000);
    expect(leave).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });
});
