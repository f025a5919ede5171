import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LazyConnection } from "../../base/async/lazy-connection.ts";
import { DatabaseWatch } from "./database-watch.ts";
import type { RecordDatabase } from "./record-database.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watch of a database that fails to open so many times, and does not watch without `watches`. */
function watched({ failures = 0, watches = true, gate = Promise.resolve() } = {}) {
  const stop = vi.fn<() => void>();
  const watch = vi.fn<(onChange: () => void) => () => void>(() => stop);
  const onChange = vi.fn<() => void>();
  const opened = vi.fn<() => void>();
  const database = { close: async () => {}, ...(watches && { watch }) } as unknown as RecordDatabase;
  const connection = new LazyConnection("The database", async () => {
    opened();
    await gate;
    if (opened.mock.calls.length <= failures) throw new Error("down");
    return database;
  });
  return { made: new DatabaseWatch(connection, onChange), stop, watch, onChange, opened, connection };
}

const turn = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0));

describe("the watch of a database", () => {
  it("tells of what was written before it began, and of each change until it ends", async () => {
    const { made, stop, watch, onChange } = watched();
    expect(onChange).not.toHaveBeenCalled();
    await turn();
    expect(watch).toHaveBeenCalledOnce();
    expect(onChange).toHaveBeenCalledOnce();
    watch.mock.calls[0]?.[0]();
    expect(onChange).toHaveBeenCalledTimes(2);
    made.end();
    made.end();
    expect(stop).toHaveBeenCalledOnce();
  });

  it("begins a second after a database that could not be opened, as often as it takes", async () => {
    const { made, watch, onChange, opened } = watched({ failures: 2 });
    await turn();
    expect(opened).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(999);
    expect(opened).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1);
    expect(opened).toHaveBeenCalledTimes(2);
    expect(onChange).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(watch).toHaveBeenCalledOnce();
    expect(onChange).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(5000);
    expect(opened).toHaveBeenCalledTimes(3);
    made.end();
  });

  it("does not begin once it was ended", async () => {
    const gate = Promise.withResolvers<void>();
    const { made, watch, onChange } = watched({ gate: gate.promise });
    made.end();
    gate.resolve();
    await turn();
    expect(watch).not.toHaveBeenCalled();
    expect(onChange).not.toHaveBeenCalled();
  });

  it("does not try again once it was ended, before a failure or after it", async () => {
    const gate = Promise.withResolvers<void>();
    const [before, after] = [watched({ failures: 9, gate: gate.promise }), watched({ failures: 9 })];
    before.made.end();
    gate.resolve();
    await turn();
    after.made.end();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(3000);
    expect(before.opened).toHaveBeenCalledOnce();
    expect(after.opened).toHaveBeenCalledOnce();
  });

  it("the watch of a database of a database that cannot be watched tells once", async () => {
    const { made, onChange } = watched({ watches: false });
    await turn();
    expect(onChange).toHaveBeenCalledOnce();
    made.end();
  });
});
