import { MongoFailures } from "@troupe-internal/mongodb";
import type { Logger } from "@troupe/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ChangeWatch } from "./change-watch.ts";

/** A cursor over changes whose server is the test. */
class FakeCursor {
  closed = false;
  isAsked = false;
  #asked = Promise.withResolvers<object | null>();

  async tryNext(): Promise<object | null> {
    this.isAsked = true;
    return await this.#asked.promise;
  }

  answer(change: object | null | Error): void {
    const { resolve, reject } = this.#asked;
    this.#asked = Promise.withResolvers();
    this.isAsked = false;
    if (change instanceof Error) reject(change);
    else resolve(change);
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/** Watches over fake cursors, which it keeps in the order in which they were opened. */
function watch() {
  const cursors: FakeCursor[] = [];
  const [onChange, warn] = [vi.fn<() => void>(), vi.fn<Logger["warn"]>()];
  const open = (signal: AbortSignal): FakeCursor => {
    const cursor = new FakeCursor();
    signal.addEventListener("abort", () => cursor.isAsked && cursor.answer(new Error("aborted")));
    cursors.push(cursor);
    return cursor;
  };
  const failures = new MongoFailures("mongodb://alice:hunter2222@host");
  const changes = new ChangeWatch({ open, onChange, failures, logger: { warn } as unknown as Logger });
  onTestFinished(async () => await changes.close());
  /** Answers a request of a cursor, when it is made. */
  const answer = async (number: number, change: object | null | Error): Promise<void> => {
    await vi.waitFor(() => expect(cursors[number - 1]?.isAsked).toBe(true));
    cursors[number - 1]?.answer(change);
  };
  return { changes, cursors, onChange, warn, answer };
}

/** Advances the faked clock until another cursor is opened, and returns the milliseconds that passed. */
async function untilNext(cursors: readonly FakeCursor[]): Promise<number> {
  const before = cursors.length;
  await vi.advanceTimersByTimeAsync(0);
  let passedMs = 0;
  for (; cursors.length === before && passedMs < 10_000; passedMs += 100) await vi.advanceTimersByTimeAsync(100);
  return passedMs;
}

describe("ChangeWatch", () => {
  it("tells of each change, and once when a cursor begins", async () => {
    const { cursors, onChange, answer } = watch();
    expect(onChange).not.toHaveBeenCalled();
    for (const change of [null, null, {}, null, {}]) await answer(1, change);
    await vi.waitFor(() => expect(cursors[0]?.isAsked).toBe(true));

    expect(onChange).toHaveBeenCalledTimes(3);
  });

  it("opens another cursor when one failed, tells of what may have been missed, and warns once without secrets", async () => {
    const { cursors, onChange, warn, answer } = watch();
    await answer(1, new Error("no route to mongodb://alice:hunter2222@host"));
    await answer(2, new Error("no route to mongodb://alice:hunter2222@host"));
    await answer(3, null);
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledOnce());
    expect(cursors.map(({ closed }) => closed)).toEqual([true, true, false]);

    expect(warn).toHaveBeenCalledOnce();
    expect(String(warn.mock.calls[0]?.[0])).toMatch(/looking, about once a second.* MongoDB could not complete/);
    expect(JSON.stringify(warn.mock.calls)).not.toContain("hunter2222");
    await answer(3, null);
    await answer(3, new Error("again"));
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(2));
  });

  it("warns once of cursors that answer once and then fail", async () => {
    const { cursors, warn, answer } = watch();
    for (let number = 1; number <= 3; number += 1) {
      await answer(number, number === 2 ? {} : null);
      await answer(number, new Error("timed out"));
    }
    await vi.waitFor(() => expect(cursors).toHaveLength(4));

    expect(warn).toHaveBeenCalledOnce();
  });

  it("pauses longer and longer while no cursor delivers, up to 3.2 seconds, and briefly once one has", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { cursors, answer } = watch();
    const pauses: number[] = [];
    for (const _ of Array.from({ length: 7 })) {
      await answer(cursors.length, new Error("not authorized"));
      pauses.push(await untilNext(cursors));
    }
    expect(pauses).toEqual([200, 400, 800, 1600, 3200, 3200, 3200]);

    for (const change of [null, null, new Error("no route")]) await answer(cursors.length, change);
    expect(await untilNext(cursors)).toBe(200);
  });

  it("opens another cursor when the collection was dropped", async () => {
    const { cursors, warn, answer } = watch();
    await answer(1, null);
    await vi.waitFor(() => expect(cursors[0]?.isAsked).toBe(true));
    await cursors[0]?.close();
    await answer(1, null);

    await answer(2, null);
    expect(warn).not.toHaveBeenCalled();
  });

  it("closes its cursor, opens none and tells of nothing after it was closed", async () => {
    const { changes, cursors, onChange, warn, answer } = watch();
    await answer(1, null);
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledOnce());
    await changes.close();

    expect(cursors.map(({ closed }) => closed)).toEqual([true]);
    expect(onChange).toHaveBeenCalledOnce();
    expect(warn).not.toHaveBeenCalled();
  });
});
