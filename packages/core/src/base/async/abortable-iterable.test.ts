import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { abortableIterable } from "./abortable-iterable.ts";

const cancelled = expect.objectContaining({ code: "cancelled" });

/** A source whose chunks the test gives, and which notes how often it was released. */
function startSource() {
  const waiting: PromiseWithResolvers<IteratorResult<string, undefined>>[] = [];
  const released = vi.fn<() => Promise<IteratorResult<string, undefined>>>(async () => ({
    done: true,
    value: undefined,
  }));
  const next = (): Promise<IteratorResult<string, undefined>> => {
    const step = Promise.withResolvers<IteratorResult<string, undefined>>();
    waiting.push(step);
    return step.promise;
  };
  const source: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next, return: released }) };
  return { source, waiting, released };
}

/** A signal that counts its listeners. */
function startSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  vi.spyOn(signal, "addEventListener").mockImplementation((...args) => ((listeners += 1), add(...args)));
  vi.spyOn(signal, "removeEventListener").mockImplementation((...args) => ((listeners -= 1), remove(...args)));
  return { controller, signal, listeners: () => Math.max(0, listeners) };
}

describe("chunks that are passed on until a signal aborts", () => {
  it("are those of the source, without a signal the source itself", async () => {
    const { source, waiting } = startSource();
    expect(abortableIterable(source, undefined)).toBe(source);
    const { signal, listeners } = startSignal();
    const chunks = abortableIterable(source, signal)[Symbol.asyncIterator]();
    for (const value of ["é", ""]) {
      const read = chunks.next();
      waiting.at(-1)?.resolve({ done: false, value });
      expect(await read).toEqual({ done: false, value });
    }
    const last = chunks.next();
    waiting.at(-1)?.resolve({ done: true, value: undefined });
    expect(await last).toEqual({ done: true, value: undefined });
    expect(listeners()).toBe(0);
  });

  it("end for a reader that waits, with the reason, and release the source once", async () => {
    const { source, released } = startSource();
    const { controller, signal, listeners } = startSignal();
    const chunks = abortableIterable(source, signal)[Symbol.asyncIterator]();
    const read = chunks.next();
    controller.abort("gone");
    await expect(read).rejects.toEqual(cancelled);
    await expect(read).rejects.toMatchObject({ cause: "gone" });
    await expect(chunks.next()).rejects.toEqual(cancelled);
    expect(released).toHaveBeenCalledOnce();
    expect(listeners()).toBe(0);
  });

  it("do not begin when the signal has aborted before: the source is released unread", async () => {
    const { source, waiting, released } = startSource();
    const chunks = abortableIterable(source, AbortSignal.abort("gone"))[Symbol.asyncIterator]();
    await expect(chunks.next()).rejects.toEqual(cancelled);
    expect(waiting).toEqual([]);
    expect(released).toHaveBeenCalledOnce();
  });

  it("fail as the source does, and leave no listener", async () => {
    const { source, waiting } = startSource();
    const { signal, listeners } = startSignal();
    const read = abortableIterable(source, signal)[Symbol.asyncIterator]().next();
    waiting[0]?.reject(new Error("broken"));
    await expect(read).rejects.toThrow("broken");
    expect(listeners()).toBe(0);
  });

  it("release the source of a reader that leaves, once more after an abort does nothing bad", async () => {
    const { source, released } = startSource();
    const { controller, signal, listeners } = startSignal();
    const chunks = abortableIterable(source, signal)[Symbol.asyncIterator]();
    expect(await chunks.return?.()).toEqual({ done: true, value: undefined });
    controller.abort();
    expect(released).toHaveBeenCalledOnce();
    expect(listeners()).toBe(0);
  });

  it("chunks that are passed on until a signal aborts of a stream are ended by destroying it, though its next chunk never comes", async () => {
    const stream = new Readable({ read() {} });
    const controller = new AbortController();
    const read = abortableIterable<unknown>(stream, controller.signal)[Symbol.asyncIterator]().next();
    controller.abort();
    await expect(read).rejects.toEqual(cancelled);
    expect(stream.destroyed).toBe(true);
  });

  it("do not fail for a source that cannot be released", async () => {
    const { source, released } = startSource();
    released.mockRejectedValue(new Error("stuck"));
    const controller = new AbortController();
    const read = abortableIterable(source, controller.signal)[Symbol.asyncIterator]().next();
    controller.abort();
    await expect(read).rejects.toEqual(cancelled);
  });
});
