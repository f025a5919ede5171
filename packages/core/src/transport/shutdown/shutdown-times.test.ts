import { createServer } from "node:http";
import { createLogger } from "../../base/log/logger.ts";
import type { DrainableRuns } from "../runs/active-runs.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readCloseOptions, Shutdown } from "./shutdown.ts";
import type { CloseOptions } from "./shutdown.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs that note what a shutdown does to them, and are over when the test says so. */
function notedRuns(size: number, done: string[] = []) {
  const over = Promise.withResolvers<void>();
  const runs: DrainableRuns = {
    size,
    drain: async () => {
      done.push("drain");
      await over.promise;
    },
    endAll: () => void done.push("endAll"),
  };
  return { runs, done, finish: over.resolve };
}

function shutdownOf(options: CloseOptions = {}) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const shutdown = new Shutdown(createLogger({ level: "debug", color: false, write }));
  const begin = async () => await shutdown.begin(readCloseOptions(options, "service.close"));
  const state = { isFinished: false };
  void shutdown.finished.then(() => (state.isFinished = true));
  return { shutdown, begin, lines, state };
}

describe("the grace period of a shutdown", () => {
  it.each<[string, CloseOptions, number]>([
    ["25 seconds by default", {}, 25_000],
    ["what the host says", { graceMs: 700 }, 700],
  ])("is %s: then the runs that are left are ended, and the log has their number", async (_what, options, graceMs) => {
    const { shutdown, begin, lines, state } = shutdownOf(options);
    const [first, second, idle] = [notedRuns(2), notedRuns(1), notedRuns(0)];
    for (const { runs } of [first, second, idle]) shutdown.add(runs);
    void begin();
    await vi.advanceTimersByTimeAsync(graceMs - 1);
    expect([first.done, lines]).toEqual([["drain"], []]);
    await vi.advanceTimersByTimeAsync(1);

    for (const { done } of [first, second, idle]) expect(done).toEqual(["drain", "endAll"]);
    expect(lines).toMatchObject([
      { level: "warn", message: "Active runs are ended: the service shuts down.", runs: 3 },
    ]);
    expect(state.isFinished).toBe(false);
    for (const { finish } of [first, second, idle]) finish();
    await vi.advanceTimersByTimeAsync(0);
    expect(state.isFinished).toBe(true);
  });

  it("is not used up where all runs are over, and nothing is logged", async () => {
    const { shutdown, begin, lines, state } = shutdownOf();
    const { runs, done, finish } = notedRuns(1);
    shutdown.add(runs);
    void begin();
    await vi.advanceTimersByTimeAsync(10);
    finish();
    await vi.advanceTimersByTimeAsync(0);

    expect([state.isFinished, done, lines, vi.getTimerCount()]).toEqual([true, ["drain"], [], 0]);
  });

  it("is followed by three seconds in which the runs that were ended tell their clients", async () => {
    const { shutdown, begin, lines, state } = shutdownOf({ graceMs: 100 });
    shutdown.add(notedRuns(0).runs);
    const server = createServer();
    const force = vi.spyOn(server, "closeAllConnections");
    shutdown.attach(server);
    void begin();
    await vi.advanceTimersByTimeAsync(3099);
    expect([state.isFinished, force.mock.calls]).toEqual([false, []]);
    await vi.advanceTimersByTimeAsync(1);

    expect([state.isFinished, force.mock.calls]).toEqual([true, [[]]]);
    expect(lines).toEqual([]);
  });
});

describe("a shutdown that is asked for again", () => {
  it("is one shutdown, with one end for all who wait", async () => {
    const { shutdown } = shutdownOf();
    const { runs, done, finish } = notedRuns(1);
    shutdown.add(runs);
    const times = readCloseOptions({}, "service.close");
    const [first, second] = [shutdown.begin(times), shutdown.begin({ graceMs: 0, drainMs: 0 })];
    expect([first, shutdown.finished]).toEqual([second, second]);
    expect(first).toBe(second);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(done).toEqual(["drain"]);
    finish();
    await vi.advanceTimersByTimeAsync(0);
    expect(await first).toBeUndefined();
  });

  it("drains runs that are added meanwhile once, and does not wait for them", async () => {
    const { shutdown, begin, state } = shutdownOf();
    const late = notedRuns(1);
    void begin();
    expect(shutdown.add(late.runs)).toBe(shutdown);
    await vi.advanceTimersByTimeAsync(0);

    expect([late.done, state.isFinished]).toEqual([["drain"], true]);
    late.finish();
  });
});

describe("the options of the end of a service", () => {
  const refused = (message: string) => expect.objectContaining({ code: "invalid_config", message }) as Error;
  const read = (options: CloseOptions) => readCloseOptions(options, "service.close");

  it.each<[CloseOptions, CloseOptions]>([
    [{}, { graceMs: 25_000, drainMs: 5000 }],
    [{ graceMs: 5000 }, { graceMs: 5000, drainMs: 5000 }],
    [{ graceMs: 4999 }, { graceMs: 4999, drainMs: 4999 }],
    [{ graceMs: 5001 }, { graceMs: 5001, drainMs: 5000 }],
    [{ graceMs: 0 }, { graceMs: 0, drainMs: 0 }],
    [{ drainMs: 0 }, { graceMs: 25_000, drainMs: 0 }],
    [
      { graceMs: 25_000, drainMs: 25_000 },
      { graceMs: 25_000, drainMs: 25_000 },
    ],
  ])("%j are read as %j", (options, times) => {
    expect(read(options)).toEqual(times);
  });

  it.each<[object, string]>([
    [{ drainMs: 25_001 }, "drainMs must be at most graceMs, 25000, got 25001: the listener closes with the last run."],
    [{ graceMs: 0, drainMs: 1 }, "drainMs must be at most graceMs, 0, got 1: the listener closes with the last run."],
    [{ graceMs: -1 }, "graceMs must be a number of milliseconds from 0 to 2147483647, got -1."],
    [{ drainMs: "1" }, "drainMs must be a number of milliseconds from 0 to 2147483647, got a string."],
    [{ drain: 1 }, 'Unknown option "drain" of service.close. Expected graceMs or drainMs. Did you mean drainMs?'],
  ])("%j are refused: %s", (options, message) => {
    expect(() => read(options)).toThrow(refused(message));
  });
});

it("a part that cannot be ended is an error in the log, with its cause", async () => {
  const { shutdown, begin, lines, state } = shutdownOf();
  const drain = async () => await Promise.reject(new Error("No storage."));
  shutdown.add({ size: 0, endAll: () => undefined, drain });
  void begin();
  await vi.advanceTimersByTimeAsync(0);

  expect(state.isFinished).toBe(true);
  const message = "A part of the service could not be ended in order. The others are.";
  expect(lines).toMatchObject([{ level: "error", message, error: { message: "No storage." } }]);
});
