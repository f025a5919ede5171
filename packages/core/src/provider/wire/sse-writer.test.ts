import { getEventListeners } from "node:events";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SseWriter } from "./sse-writer.ts";
import type { SseWriterOptions } from "./sse-writer.ts";
import { PausedReader, cancelled, fullWriter, turn } from "../../../test/paused-reader.ts";

const listenersOf = (reader: Writable) => reader.eventNames().map((name) => [name, reader.listenerCount(name)]);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("SseWriter", () => {
  it("sends the frames of one tick in one write, also those of promises", async () => {
    const reader = new PausedReader();
    const writer = new SseWriter(reader);

    await turn();
    for (const frame of ["a", "b", "c"]) await writer.write(frame);
    await turn();

    expect(reader.writes).toEqual(["abc"]);
  });

  it("writes more than a batch without waiting for the end of the tick", () => {
    const reader = new PausedReader(100_000);
    const writer = new SseWriter(reader);

    for (let count = 0; count < 40; count += 1) void writer.write("x".repeat(1000));

    expect(reader.writes.join("")).toHaveLength(17_000);
  });

  it("returns a promise only without room, and resolves it when there is room", async () => {
    const { reader, writer } = await fullWriter();
    let isWritten = false;

    const written = writer.write("second ")?.then(() => (isWritten = true));
    await reader.take();
    const early = isWritten;
    await reader.take();
    await written;

    expect(early).toBe(false);
    expect(reader.writes).toEqual(["first ", "second "]);
    expect(new SseWriter(new PausedReader(100)).write("a")).toBeUndefined();
  });

  it("keeps the order of frames of several waiting writers", async () => {
    const { reader, writer } = await fullWriter();

    const written = Promise.all(["a", "b", "c"].map(async (frame) => writer.write(frame)));
    await reader.take();
    await reader.take();
    await written;

    expect(reader.writes).toEqual(["first ", "abc"]);
  });

  it("waits first when the stream is full at the start", async () => {
    const reader = new PausedReader();
    reader.write("headers ");
    const writer = new SseWriter(reader);

    const written = writer.write("a");
    await turn();

    expect(reader.writes).toEqual(["headers "]);
    await reader.take();
    await reader.take();
    await expect(written).resolves.toBeUndefined();
  });

  it.each<[string, (reader: Writable, controller: AbortController) => unknown]>([
    ["has left", (reader) => reader.destroy()],
    ["has failed", (reader) => reader.destroy(new Error("EPIPE"))],
    ["was ended by another", (reader) => reader.end()],
    ["is cut off by the signal", (_, controller) => controller.abort()],
  ])("cancels waiting and later writers when the reader %s", async (_, leave) => {
    const controller = new AbortController();
    const { reader, writer } = await fullWriter({ signal: controller.signal });

    const written = writer.write("second ");
    leave(reader, controller);
    await reader.take();

    await expect(written).rejects.toEqual(cancelled);
    expect(() => writer.write("third ")).toThrow(cancelled);
    expect(writer.closed).toBe(true);
  });

  it("rejects frames for a stream that was ended elsewhere, even if it is never destroyed", async () => {
    const sink = new Writable({ autoDestroy: false, write: (_chunk, _encoding, taken) => taken() });
    const writer = new SseWriter(sink);

    sink.end();
    await turn();

    expect(writer.closed).toBe(true);
    await expect(writer.close()).resolves.toBeUndefined();
  });

  it("closes at once when the reader had disconnected before", async () => {
    const reader = new PausedReader().destroy();
    await turn();

    const writer = new SseWriter(reader);

    expect(() => writer.write("a")).toThrow(cancelled);
    await expect(writer.close()).resolves.toBeUndefined();
    expect(reader.writes).toEqual([]);
  });

  it("rejects frames when the signal had aborted before, and can still be closed", async () => {
    const reader = new PausedReader();
    const writer = new SseWriter(reader, { signal: AbortSignal.abort() });

    expect(() => writer.write("a")).toThrow(cancelled);
    await writer.close();
    expect(reader.writableFinished).toBe(true);
  });

  it("causes no unhandled rejection when a writer that does not wait loses its reader", async () => {
    const { reader, writer } = await fullWriter();

    void writer.write("nobody waits");
    reader.destroy();
    await turn();

    expect(writer.closed).toBe(true);
  });

  it("drops a reader with more than a megabyte of unsent frames", async () => {
    const { reader, writer } = await fullWriter();
    let count = 0;
    const flood = () => {
      for (; count < 100; count += 1) void writer.write("x".repeat(100_000));
    };

    expect(flood).toThrow(cancelled);
    expect([count, reader.destroyed]).toEqual([11, true]);
  });

  it("accepts one frame of any size from a writer that waits", async () => {
    const { reader, writer } = await fullWriter();

    const written = writer.write("x".repeat(3_000_000));
    await reader.take();
    await reader.take();
    await expect(written).resolves.toBeUndefined();
  });

  it("sends the accepted frames before it closes, and accepts none after", async () => {
    const { reader, writer } = await fullWriter();

    const written = writer.write("last");
    const closed = writer.close();
    await reader.take();
    await reader.take();
    await Promise.all([written, closed, writer.close()]);

    expect(reader.writes).toEqual(["first ", "last"]);
    expect(reader.writableFinished).toBe(true);
    expect(() => writer.write("more")).toThrow(cancelled);
  });

  it.each<[string, (reader: PausedReader, controller: AbortController) => unknown]>([
    ["closed", (reader) => reader.take()],
    ["left", (reader) => reader.destroy()],
    ["failed", (reader) => reader.destroy(new Error("EPIPE"))],
    ["aborted", (reader, controller) => (controller.abort(), reader.take())],
  ])("leaves no listener and no timer behind when it has %s", async (_, end) => {
    const controller = new AbortController();
    const reader = new PausedReader();
    const before = listenersOf(reader);
    const writer = new SseWriter(reader, { signal: controller.signal });
    await writer.write("first ");
    await turn();

    writer.write("second ")?.catch(() => undefined);
    await end(reader, controller);
    const closed = writer.close();
    await reader.take();
    await reader.take();
    await closed;

    expect(listenersOf(reader)).toEqual(before);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each<SseWriterOptions>([{ heartbeatMs: 0 }, { heartbeatMs: NaN }, { stallMs: -1 }, { stallMs: 3e9 }])(
    "refuses %j",
    (options) => {
      const reader = new PausedReader();

      expect(() => new SseWriter(reader, options)).toThrow(expect.objectContaining({ code: "invalid_config" }));
      expect([listenersOf(reader), vi.getTimerCount()]).toEqual([[], 0]);
    },
  );
});
