import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ToolExecution } from "./tool-execution.ts";
import { contextOf } from "./test/batch.ts";
import { smallTool } from "./test/small-tool.ts";
import type { ExecutableTool } from "../run/tool.ts";

const over = new TroupeError("cancelled", "Nobody waits any more.");

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(execute: ExecutableTool["execute"], lines: string[] = []): ToolExecution {
  const context = contextOf({ lines });
  const plan = { args: {}, context, toolCallId: "1", idempotencyKey: "run-1/0/0" };
  return new ToolExecution({ ...plan, tool: smallTool("tool", { execute }) });
}

describe("ToolExecution", () => {
  it("has the tool's outcome and leaves no timer", async () => {
    const execution = start(() => "done");

    expect(await execution.outcome).toEqual({ result: "done" });
    expect(execution.isOver).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends when the last waiting call leaves, and not before", async () => {
    const signals: AbortSignal[] = [];
    const execution = start(async (_, { signal }) => {
      signals.push(signal);
      return await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    const [leave, leaveToo] = [execution.join(), execution.join()];
    leave(over);
    expect(execution.isOver).toBe(false);
    leaveToo(over);

    expect(execution.isOver).toBe(true);
    expect(signals[0]?.reason).toBe(over);
    expect(await execution.outcome).toEqual({ result: over.message, error: over.message });
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not stopped by calls that leave when it is over", async () => {
    const lines: string[] = [];
    const signals: AbortSignal[] = [];
    const execution = start((_, { signal }) => {
      signals.push(signal);
      return "done";
    }, lines);
    const leave = execution.join();
    await execution.outcome;
    leave(over);
    await vi.advanceTimersByTimeAsync(5000);

    expect(signals[0]?.aborted).toBe(false);
    expect(lines).toEqual([]);
  });
});
