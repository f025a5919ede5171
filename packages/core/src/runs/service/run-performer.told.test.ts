import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { RunOpts } from "../../agents/run/run-options.ts";
import { runnableOf } from "./test/asking-runnable.ts";
import { attempt, job, processOf, talking } from "./test/performing.ts";
import { soon } from "./test/services.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const told = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

describe("what the operator is told", () => {
  it("what the operator is told of a job whose run is not there, in these words", async () => {
    const { perform, lines } = await processOf(talking, { run: null });
    await perform();
    expect(told(lines)).toEqual([
      {
        level: "warn",
        time: expect.any(String) as unknown,
        message:
          "A job was dropped whose run is not in the storage. It was deleted, or a service with another storage has the same queue: give each service a queue of its own.",
        runId: "r",
      },
    ]);
  });

  it("is nothing of a job whose run is listed as open and has no record", async () => {
    const { perform, parts, lines, storage } = await processOf(talking);
    await storage.delete("runs", "r");
    await perform();
    await vi.advanceTimersByTimeAsync(60_000);
    await perform();
    expect(lines).toEqual([]);
    expect(parts.store.running.size).toBe(0);
  });

  it("what the operator is told of a storage that fails, in these words, with the cause", async () => {
    const { perform, parts, lines } = await processOf(talking);
    vi.spyOn(parts.store, "read").mockRejectedValue(new TroupeError("storage_unavailable", "It is down."));
    await perform();
    expect(told(lines)).toMatchObject([
      {
        level: "error",
        message: "A durable run cannot be performed.",
        runId: "r",
        error: { code: "storage_unavailable", message: "It is down." },
      },
    ]);
  });

  it("is the crash of a run that is given up, though the abort that ends its work looks like a cancel", async () => {
    const stopped = runnableOf(async function* (journal, { signal }) {
      yield await Promise.resolve({ type: "text" as const, text: "Half" });
      journal.begin("m/1");
      await journal.durable.newWork.before();
      if (signal?.aborted === true) throw new TroupeError("cancelled", "The run was aborted.");
      return "";
    });
    const done: LogEntry = { t: "done", step: "m/0", value: "done before", ms: 1 };
    const log = [[attempt(1), done], [attempt(2)], [attempt(3)], [attempt(4)]];
    const { perform, read, lines } = await processOf(stopped, { log });
    await perform();

    expect(await read()).toMatchObject({ status: "error", error: { code: "crashed" } });
    expect(told(lines)).toMatchObject([{ level: "info", runId: "r" }]);
  });

  it("is nothing of a run that ends well, or that was cancelled", async () => {
    const ended = await processOf(talking);
    await ended.perform();
    const cancelled = await processOf(talking);
    await cancelled.storage.set("run-inbox", "r/cancel", { v: 1, reason: "Enough." });
    await cancelled.perform();
    expect([ended.lines, cancelled.lines]).toEqual([[], []]);
  });
});

describe("an attempt that is over", () => {
  /** Begins an attempt whose runnable leaves when its signal aborts, and releases it. */
  const patient = runnableOf(async function* (_journal, { signal }) {
    yield { type: "text", text: "Half" };
    await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
    return "";
  });

  it("listens to the signal of its engine no more, and leaves no timer", async () => {
    const { performer, read } = await processOf(talking);
    const { signal } = new AbortController();
    await soon(performer.perform(job, signal));
    expect(await read()).toMatchObject({ status: "completed" });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves no timer when it was released, and listens to it once while it goes on", async () => {
    const { performer, performing, logged } = await processOf(patient);
    const abort = new AbortController();
    const over = performer.perform(job, abort.signal);
    await vi.waitFor(() => expect(getEventListeners(abort.signal, "abort")).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(500);
    abort.abort();
    // Its runnable does not hear of that: the attempt is left after its time.
    await vi.advanceTimersByTimeAsync(5000);
    await soon(over);
    expect((await logged()).at(-1)).toMatchObject({ t: "left", why: "released" });
    expect(performing.size).toBe(0);
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("what a runnable is given", () => {
  it("is the whole of a long input with its options, which the record has not", async () => {
    const seen: [unknown, RunOpts | undefined][] = [];
    const agent: Runnable = {
      ...talking,
      stream: (input, opts) => {
        seen.push([input, opts]);
        return talking.stream(input, opts);
      },
    };
    const input = "é".repeat(40_000);
    const options = { metadata: { long: "x".repeat(40_000) }, instructions: "Be brief." };
    const { perform, read } = await processOf(agent, { run: { input, options } });
    expect(await read()).toMatchObject({ options: {}, inputPieces: {} });
    await perform();
    expect(seen).toEqual([[input, expect.objectContaining({ ...options, runId: "r", sessionId: "s" })]]);
    expect(await read()).toMatchObject({ status: "completed", output: { text: "Hi." } });
  });
});

describe("the time at which a run began", () => {
  it.each([
    [undefined, 1_000_000],
    [5, 5],
    [0, 0],
  ])("is that of its first attempt: %s is %i after another one", async (startedAt, expected) => {
    const run = { status: "running", attempts: 1, ...(startedAt !== undefined && { startedAt }) } as const;
    const { perform, read } = await processOf(talking, { run, log: [[attempt(1)]] });
    await perform();
    expect(await read()).toMatchObject({ status: "completed", startedAt: expected, attempts: 2, node: "here" });
  });
});
