import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SseWriter } from "./sse-writer.ts";
import { PausedReader, cancelled, fullWriter } from "../../../test/paused-reader.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("SseWriter", () => {
  it("sends a heartbeat every 15 seconds, and none while the reader is behind", async () => {
    const reader = new PausedReader(1);
    const writer = new SseWriter(reader, { stallMs: 1_000_000 });

    vi.advanceTimersByTime(14_999);
    const early = reader.writes.length;
    vi.advanceTimersByTime(1);
    vi.advanceTimersByTime(150_000);
    const behind = [...reader.writes];
    await reader.take();
    vi.advanceTimersByTime(15_000);

    expect(early).toBe(0);
    expect(behind).toEqual([": heartbeat\n\n"]);
    expect(reader.writes).toEqual([": heartbeat\n\n", ": heartbeat\n\n"]);
    reader.destroy();
    await writer.close();
  });

  it("sends no heartbeat after close", async () => {
    const reader = new PausedReader();
    const controller = new AbortController();
    const writer = new SseWriter(reader, { signal: controller.signal });

    controller.abort();
    vi.advanceTimersByTime(60_000);
    await writer.close();

    expect(reader.writes).toEqual([]);
  });

  it("never sends a heartbeat inside a frame or before an accepted one", async () => {
    const reader = new PausedReader(100);
    const writer = new SseWriter(reader, { heartbeatMs: 10 });

    await writer.write("data: a\n\n");
    vi.advanceTimersByTime(10);

    expect(reader.writes).toEqual(["data: a\n\n: heartbeat\n\n"]);
  });

  it("destroys the connection of a reader that stalls for 30 seconds", async () => {
    const { reader, writer } = await fullWriter();
    const written = writer.write("second ");

    vi.advanceTimersByTime(29_999);
    const early = reader.destroyed;
    vi.advanceTimersByTime(1);

    expect([early, reader.destroyed]).toEqual([false, true]);
    await expect(written).rejects.toEqual(cancelled);
  });

  it("restarts the stall timeout when the reader takes something", async () => {
    const { reader, writer } = await fullWriter({ heartbeatMs: 1_000_000 });
    const written = writer.write("second ");

    vi.advanceTimersByTime(20_000);
    await reader.take();
    vi.advanceTimersByTime(20_000);
    await reader.take();
    vi.advanceTimersByTime(40_000);

    await expect(written).resolves.toBeUndefined();
    expect(reader.destroyed).toBe(false);
  });

  it("limits the wait for the last frame by the stall timeout too", async () => {
    const reader = new PausedReader(100);
    const writer = new SseWriter(reader);

    await writer.write("last");
    const closed = writer.close();
    vi.advanceTimersByTime(30_000);

    await expect(closed).resolves.toBeUndefined();
    expect(reader.destroyed).toBe(true);
  });
});
