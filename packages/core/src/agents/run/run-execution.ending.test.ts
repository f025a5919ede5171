import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import { failureOf } from "../../testing/conformance/assert.ts";
import { readUntilEnd, smallRun, turnOver, twoWords, waiting } from "./test/small-run.ts";

const graceMs = 5000;

async function* silence(): AsyncGenerator<StreamChunk, FinishReason> {
  yield await new Promise<never>(() => {});
  return "stop";
}

describe("the end of a run", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    const left = vi.getTimerCount();
    vi.useRealTimers();
    assert.equal(left, 0, "a run leaves no timer behind");
  });

  it("comes at once when the run was cancelled before its start, and no work begins", async () => {
    const { execution, runs, names } = smallRun();
    execution.cancel("not needed");

    const { error } = await readUntilEnd(execution);

    expect(error).toMatchObject({ code: "cancelled", message: "The run was cancelled: not needed" });
    expect(runs).toHaveLength(0);
    expect(names()).toEqual(["run.start", "run.error"]);
  });

  it("comes at once when the caller's signal has aborted already [run.status-error]", async () => {
    const { execution, runs, names } = smallRun({}, { signal: AbortSignal.abort() });

    await expect(execution.run()).rejects.toMatchObject({ code: "cancelled", output: { status: "error" } });

    expect(runs).toHaveLength(0);
    expect(names()).toEqual(["run.start", "run.error"]);
  });

  it("is a timeout when the caller's signal aborts because time ran out", async () => {
    const controller = new AbortController();
    const { execution } = smallRun({ chunks: silence }, { signal: controller.signal });
    const failure = failureOf(execution.run());
    await turnOver();
    controller.abort(new DOMException("late", "TimeoutError"));

    expect(await failure).toMatchObject({ code: "timeout" });
  });

  it("has aborted the run's signal when cancel returns, whatever the work does", async () => {
    const { execution, runs } = smallRun({ chunks: silence });
    const failure = failureOf(execution.run());
    await turnOver();

    execution.cancel();

    expect(runs[0]?.context.signal.aborted).toBe(true);
    expect(await failure).toMatchObject({ code: "cancelled" });
  });

  it("is limit_exceeded when the run takes longer than its limit [run.status-error]", async () => {
    const { execution } = smallRun({ chunks: silence }, { limits: { durationMs: 70 } });
    const failure = failureOf(execution.run());

    await vi.advanceTimersByTimeAsync(70);

    expect(await failure).toMatchObject({
      code: "limit_exceeded",
      message: "The run took longer than its limit of 70 ms.",
      output: { status: "error" },
    });
  });

  it("does not wait for preparations that ignore the signal, and ignores their result", async () => {
    const { wait, go } = waiting();
    let isRead = false;
    const { execution } = smallRun({
      begin: async () => {
        await wait();
        isRead = true;
        return twoWords();
      },
    });
    const failure = failureOf(execution.run());
    await turnOver();
    execution.cancel();
    expect(await failure).toMatchObject({ code: "cancelled" });

    go();
    await turnOver();

    expect(isRead).toBe(true);
  });

  it("is completed when the run is cancelled while its answer is being stored", async () => {
    const { wait, go } = waiting();
    const { execution, names } = smallRun({ saveFinished: wait });
    const outcome = execution.run();
    await turnOver();
    execution.cancel();
    go();

    expect((await outcome).status).toBe("completed");
    expect(names()).toEqual(["run.start", "run.complete"]);
  });

  it("is not announced before the answer is stored", async () => {
    const { wait, go } = waiting();
    const { execution, names } = smallRun({ saveFinished: wait });
    const steps = Promise.all([execution.next(), execution.next(), execution.next()]);
    await turnOver();
    expect(names()).toEqual(["run.start", "run.stream.chunk", "run.stream.chunk"]);

    go();

    expect((await steps)[2]?.value?.type).toBe("finish");
    expect(names().slice(-2)).toEqual(["run.stream.chunk", "run.complete"]);
  });

  it("waits for a slow storage without limit unless the run is cancelled", async () => {
    const { wait, go } = waiting();
    const { execution, names } = smallRun({ saveFinished: wait });
    const outcome = execution.run();
    await vi.advanceTimersByTimeAsync(10 * graceMs);
    expect(names()).toEqual(["run.start"]);

    go();

    expect((await outcome).status).toBe("completed");
  });

  it("is a failure when the storage hangs for longer than the grace period after a cancel", async () => {
    const { execution, names } = smallRun({ saveFinished: waiting().wait });
    const failure = failureOf(execution.run());
    await turnOver();
    execution.cancel();
    await vi.advanceTimersByTimeAsync(graceMs - 1);
    expect(names()).toEqual(["run.start"]);

    await vi.advanceTimersByTimeAsync(1);

    expect(await failure).toMatchObject({ code: "timeout" });
    expect(names()).toEqual(["run.start", "run.error"]);
  });

  it("is a failure when the answer cannot be stored, and what was done is saved as interrupted", async () => {
    const saved = waiting();
    saved.go();
    const { execution, names } = smallRun({
      saveFinished: async () => await Promise.reject(new Error("disk full")),
      saveInterrupted: saved.wait,
    });

    const { chunks, error } = await readUntilEnd(execution);

    expect(chunks.map(({ type }) => type)).toEqual(["text", "text"]);
    expect(error).toMatchObject({ code: "internal", output: { status: "error" } });
    expect(saved.count()).toBe(1);
    expect(names().at(-1)).toBe("run.error");
  });

  it("comes even when saving the interrupted turn hangs or throws, which is logged", async () => {
    const hanging = smallRun({ chunks: silence, saveInterrupted: waiting().wait });
    const failure = failureOf(hanging.execution.run());
    await turnOver();
    hanging.execution.cancel();
    await vi.advanceTimersByTimeAsync(graceMs);
    expect(await failure).toMatchObject({ code: "cancelled" });
    expect(hanging.lines.join()).toContain("The interrupted turn could not be stored.");

    const throwing = smallRun({
      begin: async () => await Promise.reject(new Error("no model")),
      saveInterrupted: () => {
        throw new Error("disk full");
      },
    });
    await expect(throwing.execution.run()).rejects.toMatchObject({ code: "internal", cause: expect.anything() });
    expect(throwing.lines.join()).toContain("disk full");
  });

  it("aborts the run's signal when the run fails by itself", async () => {
    const failing = smallRun({ begin: async () => await Promise.reject(new Error("broken")) });
    const unstored = smallRun({ saveFinished: async () => await Promise.reject(new Error("disk full")) });
    for (const { execution, runs } of [failing, unstored]) {
      await failureOf(execution.run());
      expect(runs[0]?.context.signal.aborted).toBe(true);
    }
    const good = smallRun();
    await good.execution.run();
    expect(good.runs[0]?.context.signal.aborted).toBe(false);
  });

  it("releases what the run held, once, whatever the end", async () => {
    const ends = [
      async ({ execution }: ReturnType<typeof smallRun>) => void (await execution.run()),
      async ({ execution }: ReturnType<typeof smallRun>) => void (await readUntilEnd(execution)),
      async ({ execution }: ReturnType<typeof smallRun>) => {
        await execution.next();
        execution.cancel();
        execution.cancel();
        await execution.return();
        execution.cancel();
      },
      async ({ execution }: ReturnType<typeof smallRun>) => {
        await execution.next();
        await execution.return();
      },
    ];
    for (const end of ends) {
      let released = 0;
      const run = smallRun({ release: () => void (released += 1) });
      await end(run);
      await run.execution.output.catch(() => undefined);
      expect(released).toBe(1);
    }
  });
});
