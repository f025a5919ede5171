import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { batchOf, callOf, contextOf, resultsOf } from "./test/batch.ts";
import { smallTool } from "./test/small-tool.ts";
import type { ExecutableTool } from "../run/tool.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  const timers = vi.getTimerCount();
  vi.useRealTimers();
  if (timers > 0) throw new Error(`${timers} timers were left behind.`);
});

/** A tool that takes as many milliseconds as its argument says, and records when its calls start. */
function timedTool(more: Partial<ExecutableTool> = {}) {
  const started: [id: string | undefined, at: number][] = [];
  let running = 0;
  let most = 0;
  const begin = Date.now();
  const execute: ExecutableTool["execute"] = async ({ ms }, { toolCallId, signal }) => {
    started.push([toolCallId, Date.now() - begin]);
    most = Math.max(most, ++running);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, Number(ms));
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    });
    running--;
    return "done";
  };
  return { tool: smallTool("tool", { execute, ...more }), started, most: () => most };
}

const calls = (...times: number[]) => times.map((ms, index) => callOf("tool", { ms, index }, String(index)));

describe("a batch with a bound on parallel calls", () => {
  it("starts the calls in order, each when another has ended [tool.max-parallel]", async () => {
    const { tool, started, most } = timedTool();
    const results = resultsOf(batchOf([tool], calls(30, 10, 10, 10), { maxParallel: 2 }));
    await vi.advanceTimersByTimeAsync(40);

    expect((await results).map(({ toolCallId }) => toolCallId)).toEqual(["0", "1", "2", "3"]);
    expect(started).toEqual([
      ["0", 0],
      ["1", 0],
      ["2", 10],
      ["3", 20],
    ]);
    expect(most()).toBe(2);
  });

  it("goes on after calls that fail, are unknown or have wrong arguments", async () => {
    const failing = smallTool("failing", {
      execute: () => {
        throw new Error("no");
      },
    });
    const { tool } = timedTool();
    const wrong = { ...callOf("tool", {}, "w"), arguments: null as never };
    const all = [callOf("failing"), callOf("unknown"), wrong, ...calls(10)];
    const results = resultsOf(batchOf([tool, failing], all, { maxParallel: 1 }));
    await vi.advanceTimersByTimeAsync(10);

    expect((await results).map(({ error }) => error === undefined)).toEqual([false, false, false, true]);
  });

  it("counts the timeout of a waiting call from its start [tool.max-parallel-timeout]", async () => {
    const { tool } = timedTool({ timeoutMs: 15 });
    const results = resultsOf(batchOf([tool], calls(10, 10, 10), { maxParallel: 1 }));
    await vi.advanceTimersByTimeAsync(30);

    expect((await results).map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect((await results).map(({ durationMs }) => Math.round(durationMs))).toEqual([10, 10, 10]);
  });

  it("starts no waiting call after an abort [tool.max-parallel-abort]", async () => {
    const { tool, started } = timedTool();
    const abort = new AbortController();
    const events: string[] = [];
    const batch = batchOf([tool], calls(30, 10, 10), {
      maxParallel: 1,
      context: contextOf({ signal: abort.signal }),
      onResult: ({ toolCallId }) => events.push(toolCallId),
    });
    batch.eventBus.on("tool.call", ({ toolCallId }) => events.push(`call ${toolCallId}`));
    const ended = resultsOf(batch).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5);
    abort.abort(new TroupeError("cancelled", "enough"));
    await vi.advanceTimersByTimeAsync(100);

    expect(await ended).toMatchObject({ code: "cancelled" });
    expect(started).toHaveLength(1);
    expect(events).toEqual(["call 0"]);
  });

  it("gives a waiting call that equals one before it the cached result", async () => {
    const { tool, started } = timedTool({ cache: { ttl: 1000 } });
    const equal = [callOf("tool", { ms: 10 }, "1"), callOf("tool", { ms: 10 }, "2")];
    const results = resultsOf(batchOf([tool], equal, { maxParallel: 1 }));
    await vi.advanceTimersByTimeAsync(20);

    expect((await results).map(({ result }) => result)).toEqual(["done", "done"]);
    expect(started).toHaveLength(1);
  });
});
