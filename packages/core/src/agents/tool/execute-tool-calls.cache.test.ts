import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { batchOf, callOf, contextOf, resultOf, resultsOf } from "./test/batch.ts";
import type { TestRun } from "./test/batch.ts";
import { smallTool } from "./test/small-tool.ts";
import { ToolSet } from "./tool-set.ts";
import type { ExecutableTool } from "../run/tool.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  const timers = vi.getTimerCount();
  vi.useRealTimers();
  if (timers > 0) throw new Error(`${timers} timers were left behind.`);
});

/** A cached tool that counts its executions and takes as long as `work` says. */
function countingTool(
  more: Partial<ExecutableTool> = {},
  work: (signal: AbortSignal) => Promise<void> = async () => {},
) {
  let executions = 0;
  const execute: ExecutableTool["execute"] = async (_, { signal }) => {
    const execution = ++executions;
    await work(signal);
    return `execution ${execution}`;
  };
  const tools = new ToolSet([smallTool("tool", { cache: { ttl: 1000 }, execute, ...more })]);
  const call = async (args: Record<string, unknown> = {}, run: TestRun = {}) =>
    await resultOf(batchOf(tools, [callOf("tool", args)], { context: contextOf(run) }));
  return { tools, call, executions: () => executions };
}

async function hundredMs(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, 100);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

describe("a cached tool", () => {
  it("is executed once for equal calls until its time to live is over [tool.cache]", async () => {
    const { call, executions } = countingTool();

    expect((await call({ a: 1, b: 2 })).result).toBe("execution 1");
    await vi.advanceTimersByTimeAsync(999);
    expect((await call({ b: 2, a: 1 })).result).toBe("execution 1");
    await vi.advanceTimersByTimeAsync(1);
    expect((await call({ a: 1, b: 2 })).result).toBe("execution 2");
    expect(executions()).toBe(2);
  });

  it("is executed again for other arguments, users, tenants and keys", async () => {
    const { call, executions } = countingTool();
    const runs: TestRun[] = [
      {},
      { userId: "ann" },
      { userId: "bob" },
      { userId: "ann", tenantId: "acme" },
      { apiKeys: { openai: "key-1" } },
      { apiKeys: { openai: "key-2" } },
    ];
    for (const run of [...runs, ...runs]) await call({}, run);
    expect(executions()).toBe(runs.length);

    await call({ other: true });
    expect(executions()).toBe(runs.length + 1);
  });

  it("is executed again after a failure", async () => {
    let executions = 0;
    const execute = () => {
      executions++;
      if (executions === 1) throw new Error("not yet");
      return "done";
    };
    const { call } = countingTool({ execute });

    expect((await call()).result).toContain("not yet");
    expect((await call()).result).toBe("done");
  });

  it("gives each call a copy", async () => {
    const { call } = countingTool({
      execute: () => ({ content: "a", artifacts: [{ type: "t", data: { rows: [1] } }] }),
    });
    for (const result of [await call(), await call()]) {
      for (const { data } of result.artifacts ?? []) (data as { rows: number[] }).rows.push(2);
    }

    expect((await call()).artifacts).toEqual([{ type: "t", data: { rows: [1] } }]);
  });

  it("goes through onToolCall each time", async () => {
    const { tools, executions } = countingTool();
    let asked = 0;
    const onToolCall = () => (++asked === 2 ? { deny: "once is enough" } : undefined);
    const results = [];
    for (let round = 0; round < 3; round++)
      results.push(await resultOf(batchOf(tools, [callOf("tool")], { onToolCall })));

    expect(results.map(({ error }) => error !== undefined)).toEqual([false, true, false]);
    expect(executions()).toBe(1);
  });

  it("keeps the last 256 answers", async () => {
    const { call, executions } = countingTool();
    for (let number = 0; number < 257; number++) await call({ number });
    await call({ number: 256 });
    await call({ number: 1 });
    expect(executions()).toBe(257);

    await call({ number: 0 });
    expect(executions()).toBe(258);
  });

  it("does not keep the answer of a call that was cancelled", async () => {
    const { call, executions } = countingTool({}, hundredMs);
    const abort = new AbortController();
    const cancelled = call({}, { signal: abort.signal });
    await vi.advanceTimersByTimeAsync(50);
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });

    const again = call();
    await vi.advanceTimersByTimeAsync(100);
    expect((await again).result).toBe("execution 2");
    expect(executions()).toBe(2);
  });
});

describe("equal calls at the same time", () => {
  it("share an execution when the tool is pure", async () => {
    const { tools, executions } = countingTool({ effect: "pure" }, hundredMs);
    const results = resultsOf(
      batchOf(tools, [callOf("tool", {}, "1"), callOf("tool", {}, "2"), callOf("tool", { a: 1 }, "3")]),
    );
    await vi.advanceTimersByTimeAsync(100);

    expect((await results).map(({ toolCallId, result }) => [toolCallId, result])).toEqual([
      ["1", "execution 1"],
      ["2", "execution 1"],
      ["3", "execution 2"],
    ]);
    expect(executions()).toBe(2);
  });

  it("get a copy each when they share an execution", async () => {
    const execute = () => ({ content: "a", artifacts: [{ type: "t", data: { rows: [1] } }] });
    const { tools } = countingTool({ effect: "pure", execute });
    const [one, other] = await resultsOf(batchOf(tools, [callOf("tool", {}, "1"), callOf("tool", {}, "2")]));

    expect(one?.artifacts).toEqual(other?.artifacts);
    expect(one?.artifacts?.[0]?.data).not.toBe(other?.artifacts?.[0]?.data);
  });

  it.each(["idempotent", "once", undefined] as const)("are each executed when the effect is %s", async (effect) => {
    const { tools, executions } = countingTool(effect === undefined ? {} : { effect }, hundredMs);
    const results = resultsOf(batchOf(tools, [callOf("tool", {}, "1"), callOf("tool", {}, "2")]));
    await vi.advanceTimersByTimeAsync(100);
    await results;

    expect(executions()).toBe(2);
  });

  it("keep the execution for the others when one of them is cancelled", async () => {
    const { call, executions } = countingTool({ effect: "pure" }, hundredMs);
    const abort = new AbortController();
    const first = call({}, { signal: abort.signal });
    const second = call();
    await vi.advanceTimersByTimeAsync(50);
    abort.abort();

    await expect(first).rejects.toMatchObject({ code: "cancelled" });
    await vi.advanceTimersByTimeAsync(50);
    expect((await second).result).toBe("execution 1");
    expect((await call()).result).toBe("execution 1");
    expect(executions()).toBe(1);
  });

  it("end the execution when the last of them is cancelled, and the next call begins anew", async () => {
    const signals: AbortSignal[] = [];
    const { call, executions } = countingTool({ effect: "pure" }, async (signal) => {
      signals.push(signal);
      await hundredMs(signal);
    });
    const aborts = [new AbortController(), new AbortController()];
    const cancelled = aborts.map(async ({ signal }) => await call({}, { signal }).catch((error: unknown) => error));
    await vi.advanceTimersByTimeAsync(50);
    aborts[0]?.abort();
    expect(signals[0]?.aborted).toBe(false);
    aborts[1]?.abort();
    expect(signals[0]?.aborted).toBe(true);
    const third = call();
    await vi.advanceTimersByTimeAsync(100);

    expect(await Promise.all(cancelled)).toMatchObject([{ code: "cancelled" }, { code: "cancelled" }]);
    expect((await third).result).toBe("execution 2");
    expect(executions()).toBe(2);
  });

  it("share nothing when they have different keys, users or tenants", async () => {
    const { call, executions } = countingTool({ effect: "pure" }, hundredMs);
    const runs: TestRun[] = [{}, { userId: "ann" }, { tenantId: "acme" }, { apiKeys: { openai: "key-1" } }];
    const results = Promise.all(runs.map(async (run) => await call({}, run)));
    await vi.advanceTimersByTimeAsync(100);
    await results;

    expect(executions()).toBe(4);
  });
});
