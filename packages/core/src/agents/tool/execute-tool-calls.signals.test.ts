import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import { executeToolCalls } from "./execute-tool-calls.ts";
import { batchOf, callOf, contextOf, resultOf, resultsOf } from "./test/batch.ts";
import { hangingTool, smallTool } from "./test/small-tool.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  const timers = vi.getTimerCount();
  vi.useRealTimers();
  if (timers > 0) throw new Error(`${timers} timers were left behind.`);
});

/** A tool that notes its signal, and ends when that aborts. */
function obedientTool(name: string, signals: AbortSignal[]) {
  return smallTool(name, {
    execute: async (_, { signal }) =>
      await new Promise<string>((_resolve, reject) => {
        signals.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      }),
  });
}

describe("a tool that takes too long", () => {
  it("is stopped after a minute, and the run goes on", async () => {
    const signals: AbortSignal[] = [];
    const lines: string[] = [];
    const context = contextOf({ lines });
    const results = resultsOf(
      batchOf([obedientTool("slow", signals), smallTool("quick")], [callOf("slow"), callOf("quick")], { context }),
    );
    await vi.advanceTimersByTimeAsync(59_999);
    expect(signals[0]?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);

    expect(await results).toMatchObject([
      { toolName: "slow", error: "The tool slow took longer than 60000 ms and was stopped." },
      { toolName: "quick", result: "done" },
    ]);
    expect(signals[0]?.reason).toMatchObject({ code: "timeout" });
    expect(context.signal.aborted).toBe(false);
    expect(lines).toEqual([]);
  });

  it("is stopped after its own time", async () => {
    const result = resultOf(
      batchOf(
        [obedientTool("slow", [])].map((tool) => ({ ...tool, timeoutMs: 50 })),
        [callOf("slow")],
      ),
    );
    await vi.advanceTimersByTimeAsync(50);

    expect((await result).error).toBe("The tool slow took longer than 50 ms and was stopped.");
  });

  it("has its time for itself, not for the hook or the check before it", async () => {
    const onToolCall = async () => await new Promise<void>((resolve) => setTimeout(resolve, 200_000));
    const result = resultOf(batchOf([smallTool("tool")], [callOf("tool")], { onToolCall }));
    await vi.advanceTimersByTimeAsync(200_000);

    expect((await result).result).toBe("done");
  });

  it("may return late, which is ignored", async () => {
    const lines: string[] = [];
    const eventBus = new EventBus<RunEvents>();
    const told: unknown[] = [];
    eventBus.on("tool.result", ({ result }) => told.push(result));
    let finish: (value: string) => void = () => {};
    const tool = smallTool("late", {
      execute: async () => await new Promise((resolve) => (finish = resolve)),
      timeoutMs: 10,
    });
    const result = resultOf(batchOf([tool], [callOf("late")], { eventBus, context: contextOf({ lines }) }));
    await vi.advanceTimersByTimeAsync(10);
    const { error } = await result;
    finish("too late");
    await vi.advanceTimersByTimeAsync(5000);

    expect(error).toContain("took longer");
    expect(told).toEqual([error]);
    expect(lines).toEqual([]);
  });

  it("is reported once when it has not stopped a second later", async () => {
    const lines: string[] = [];
    const tool = hangingTool("deaf", { timeoutMs: 10 });
    const result = resultOf(batchOf([tool], [callOf("deaf")], { context: contextOf({ lines }) }));
    await vi.advanceTimersByTimeAsync(1009);
    await result;
    expect(lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(100_000);

    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /"level":"warn".*The tool deaf is still running 1000 ms after its signal aborted \(timeout\)/,
    );
  });
});

describe("executeToolCalls, when the run's signal aborts,", () => {
  it("throws at once, and aborts every tool's signal with the run's reason", async () => {
    const signals: AbortSignal[] = [];
    const abort = new AbortController();
    const context = contextOf({ signal: abort.signal });
    const tools = [obedientTool("a", signals), obedientTool("b", signals), smallTool("quick")];
    const generator = executeToolCalls(batchOf(tools, [callOf("a"), callOf("quick"), callOf("b")], { context }));
    const first = await generator.next();
    const second = generator.next();
    const reason = new TroupeError("limit_exceeded", "Too many tokens.");
    abort.abort(reason);

    expect(first.value).toMatchObject({ toolName: "quick" });
    await expect(second).rejects.toBe(reason);
    expect(signals.map((signal): unknown => signal.reason)).toEqual([reason, reason]);
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  });

  it("throws without waiting for tools that ignore their signal, which are logged once", async () => {
    const lines: string[] = [];
    const abort = new AbortController();
    const context = contextOf({ signal: abort.signal, lines });
    const results = resultsOf(batchOf([hangingTool("deaf")], [callOf("deaf")], { context }));
    await vi.advanceTimersByTimeAsync(1);
    abort.abort();

    await expect(results).rejects.toMatchObject({ code: "cancelled" });
    expect(lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/still running 1000 ms after its signal aborted \(cancelled\)/);
  });

  it("still yields results that came before", async () => {
    const abort = new AbortController();
    const tools = [smallTool("quick"), hangingTool("slow")];
    const context = contextOf({ signal: abort.signal });
    const generator = executeToolCalls(
      batchOf(tools, [callOf("quick", {}, "1"), callOf("quick", {}, "2"), callOf("slow")], { context }),
    );
    const first = await generator.next();
    await vi.advanceTimersByTimeAsync(1);
    abort.abort();

    expect(first.value).toMatchObject({ toolCallId: "1" });
    expect((await generator.next()).value).toMatchObject({ toolCallId: "2" });
    await expect(generator.next()).rejects.toMatchObject({ code: "cancelled" });
    await vi.advanceTimersByTimeAsync(1000);
  });

  it("emits no more events", async () => {
    const abort = new AbortController();
    const eventBus = new EventBus<RunEvents>();
    const told: unknown[] = [];
    eventBus.on("tool.result", ({ toolName }) => told.push(toolName));
    const context = contextOf({ signal: abort.signal });
    const results = resultsOf(batchOf([obedientTool("a", [])], [callOf("a")], { context, eventBus }));
    await vi.advanceTimersByTimeAsync(1);
    abort.abort();
    await results.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(5000);

    expect(told).toEqual([]);
  });

  it("begins no call that has not begun", async () => {
    const executed: string[] = [];
    const abort = new AbortController();
    const context = contextOf({ signal: abort.signal });
    const note = (name: string) => smallTool(name, { execute: () => (executed.push(name), name) });
    const aborting = smallTool("aborting", { execute: () => (abort.abort(), "done") });
    const parameters = z
      .object({})
      .refine(async () => await new Promise((resolve) => setTimeout(() => resolve(true), 50)));
    const slowlyChecked = { ...note("slowly-checked"), parameters };
    const tools = [aborting, note("after"), slowlyChecked];
    const calls = [callOf("slowly-checked"), callOf("aborting"), callOf("after")];
    const results = resultsOf(batchOf(tools, calls, { context, onToolCall: () => undefined }));

    await expect(results).rejects.toMatchObject({ code: "cancelled" });
    await vi.advanceTimersByTimeAsync(100);
    expect(executed).toEqual([]);
  });

  it("aborts the signal of the tool that aborted it, too", async () => {
    const abort = new AbortController();
    const signals: AbortSignal[] = [];
    const tool = smallTool("aborting", {
      execute: (_, { signal }) => {
        signals.push(signal);
        abort.abort();
        return "done";
      },
    });
    const context = contextOf({ signal: abort.signal });

    await expect(resultsOf(batchOf([tool], [callOf("aborting")], { context }))).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await vi.advanceTimersByTimeAsync(1000);
  });

  it("announces and begins no other call when a handler of tool.call aborts it", async () => {
    const abort = new AbortController();
    const eventBus = new EventBus<RunEvents>();
    const told: unknown[] = [];
    eventBus.on("tool.call", ({ toolCallId }) => {
      told.push(toolCallId);
      abort.abort();
    });
    const tool = smallTool("tool", { execute: () => (told.push("executed"), "done") });
    const context = contextOf({ signal: abort.signal });
    const calls = [callOf("tool", {}, "1"), callOf("tool", {}, "2")];

    await expect(resultsOf(batchOf([tool], calls, { context, eventBus }))).rejects.toMatchObject({ code: "cancelled" });
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual(["1"]);
  });

  it("does not execute a tool that waits for its hook", async () => {
    let executions = 0;
    const abort = new AbortController();
    const context = contextOf({ signal: abort.signal });
    const onToolCall = async () => await new Promise<void>((resolve) => setTimeout(resolve, 50));
    const tool = smallTool("tool", { execute: () => String(++executions) });
    const results = resultsOf(batchOf([tool], [callOf("tool")], { context, onToolCall }));
    await vi.advanceTimersByTimeAsync(10);
    abort.abort();

    await expect(results).rejects.toMatchObject({ code: "cancelled" });
    await vi.advanceTimersByTimeAsync(100);
    expect(executions).toBe(0);
  });

  it("calls nothing when it aborted before the batch", async () => {
    let executions = 0;
    const eventBus = new EventBus<RunEvents>();
    eventBus.on("tool.call", () => executions++);
    const tool = smallTool("tool", { execute: () => String(++executions) });
    const context = contextOf({ signal: AbortSignal.abort(new TroupeError("timeout", "Too late.")) });

    await expect(resultsOf(batchOf([tool], [callOf("tool")], { context, eventBus }))).rejects.toMatchObject({
      code: "timeout",
    });
    expect(executions).toBe(0);
  });
});

describe("executeToolCalls leaves behind", () => {
  it("executeToolCalls leaves nothing behind after a finished batch, with one listener on the run's signal during it", async () => {
    const { signal } = new AbortController();
    const listeners: number[] = [];
    const tool = smallTool("tool", {
      execute: () => {
        listeners.push(getEventListeners(signal, "abort").length);
        return "done";
      },
    });
    const calls = Array.from({ length: 30 }, (_, index) => callOf("tool", {}, String(index)));
    await resultsOf(batchOf([tool], calls, { context: contextOf({ signal }) }));

    expect(new Set(listeners)).toEqual(new Set([1]));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("executeToolCalls leaves nothing behind when the reader leaves early: the other tools are stopped", async () => {
    const signals: AbortSignal[] = [];
    const { signal } = new AbortController();
    const generator = executeToolCalls(
      batchOf([obedientTool("slow", signals), smallTool("quick")], [callOf("slow"), callOf("quick")], {
        context: contextOf({ signal }),
      }),
    );
    await generator.next();
    await generator.return([]);

    expect(signals[0]?.reason).toMatchObject({ code: "cancelled" });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
