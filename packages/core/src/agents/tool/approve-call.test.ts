import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import type { RunEvents } from "../run/run-events.ts";
import { runOfContext } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ApprovalHook } from "./approve-call.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolBatchOptions } from "./execute-tool-calls.ts";
import { batchOf, callOf, contextOf, resultOf, resultsOf } from "./test/batch.ts";
import { smallTool } from "./test/small-tool.ts";

let paid: unknown[] = [];
const payment = {
  name: "pay",
  description: "Pays an amount.",
  parameters: z.object({ amount: z.number(), to: z.string().default("Ada") }),
  execute: ({ amount, to }: { amount: number; to: string }) => {
    paid.push([amount, to]);
    return "paid";
  },
};
const pay = defineTool({ ...payment, needsApproval: true });
const call = callOf("pay", { amount: 5 });

afterEach(() => {
  paid = [];
  vi.useRealTimers();
});

/** A context of a run, and the warnings of the run. */
function watched(): { context: RunContext; warnings: RunEvents["run.warning"][] } {
  const context = contextOf();
  const warnings: RunEvents["run.warning"][] = [];
  runOfContext(context)?.eventBus.on("run.warning", (warning) => warnings.push(warning));
  return { context, warnings };
}

function paying(more: Partial<ToolBatchOptions> = {}, tool = pay): ToolBatchOptions {
  return batchOf([tool], [call], more);
}

describe("a call that needs an approval", () => {
  it("is made when the hook approves it, which gets the checked arguments [tool.needs-approval]", async () => {
    const onApproval = vi.fn<ApprovalHook>(() => ({ approved: true }));
    const { context, warnings } = watched();
    const result = await resultOf(paying({ onApproval, context }));

    expect(result).toMatchObject({ result: "paid", args: { amount: 5 } });
    expect(result.error).toBeUndefined();
    expect(onApproval.mock.calls).toEqual([[context, { ...call, arguments: { amount: 5, to: "Ada" } }]]);
    expect(paid).toEqual([[5, "Ada"]]);
    expect(warnings).toEqual([]);
  });

  it("is not changed by what the hook changes in it", async () => {
    const onApproval: ApprovalHook = async (_context, asked) => {
      asked.arguments["amount"] = 500;
      return await Promise.resolve({ approved: true });
    };
    await resultOf(paying({ onApproval }));

    expect(paid).toEqual([[5, "Ada"]]);
  });

  it("is not made when the hook denies it, and the model is told why [tool.approval-denied]", async () => {
    const results = [
      await resultOf(paying({ onApproval: () => ({ approved: false, reason: "Not on Sundays." }) })),
      await resultOf(paying({ onApproval: async () => await Promise.resolve({ approved: false }) })),
      await resultOf(paying({ onApproval: () => ({ approved: false, reason: "x".repeat(9000) }) })),
    ];

    expect(results[0]).toMatchObject({ result: "The call of pay was denied: Not on Sundays." });
    expect(results[0]?.error).toBe(results[0]?.result);
    expect(results[1]?.error).toBe("The call of pay was denied.");
    expect(Buffer.byteLength(results[2]?.error ?? "")).toBeLessThanOrEqual(2048);
    expect(paid).toEqual([]);
  });

  it("hides the API keys of the run in the reason of a denial", async () => {
    const context = contextOf({ apiKeys: { openai: "sk-secret-0123456789" } });
    const onApproval = () => ({ approved: false, reason: "sk-secret-0123456789 is spent" });

    expect((await resultOf(paying({ context, onApproval }))).error).not.toContain("secret");
  });

  it.each<[title: string, hook: () => unknown]>([
    ["throws", () => Promise.reject(new Error("no database"))],
    ["returns nothing", () => undefined],
    ["returns true", () => true],
    ["returns a word for approved", () => ({ approved: "yes" })],
    ["returns an object without approved", () => ({ reason: "fine" })],
    ["returns a reason that is no string", () => ({ approved: true, reason: 1 })],
  ])("is denied with a warning when the hook %s [tool.approval-hook-failed]", async (_, hook) => {
    const { context, warnings } = watched();
    const result = await resultOf(paying({ context, onApproval: hook as ApprovalHook }));

    expect(result.error).toBe("The call of pay was not allowed.");
    expect(warnings).toMatchObject([
      {
        code: "hook_failed",
        message: "The hook onApproval failed, so pay was not called.",
        fields: { toolName: "pay" },
      },
    ]);
    expect(paid).toEqual([]);
  });

  it("is denied where there is no hook, with one warning in a run [tool.approval-unavailable]", async () => {
    const { context, warnings } = watched();
    const first = await resultsOf(batchOf([pay], [call, callOf("pay", { amount: 6 }, "2")], { context }));
    const second = await resultOf(paying({ context, roundtrip: 1 }));

    const error = "The call of pay was denied: it needs an approval, which this run cannot ask for.";
    expect([...first, second].map((each) => each.error)).toEqual([error, error, error]);
    expect(warnings.map(({ code }) => code)).toEqual(["approval_unavailable"]);
    expect(warnings[0]?.message).toMatch(/Give the agent hooks\.onApproval, or run it in a RunService\.$/);
    expect(paid).toEqual([]);
  });

  it("is asked about after onToolCall, and not when that or the schema refuses it [tool.approval-order]", async () => {
    const onApproval = vi.fn<ApprovalHook>(() => ({ approved: true }));
    const seen: string[] = [];
    await resultOf(
      paying({
        onApproval: () => (seen.push("approval"), { approved: true }),
        onToolCall: () => void seen.push("call"),
      }),
    );
    const denied = await resultOf(paying({ onApproval, onToolCall: () => ({ deny: "no" }) }));
    const misfit = await resultOf(batchOf([pay], [callOf("pay", { amount: "5" })], { onApproval }));

    expect(seen).toEqual(["call", "approval"]);
    expect(denied.error).toBe("The call of pay was denied: no");
    expect(misfit.error).toContain("do not fit");
    expect(onApproval).not.toHaveBeenCalled();
  });

  it("is asked about also where its result is cached [tool.approval-order]", async () => {
    const cached = defineTool({ ...payment, effect: "pure", cache: { ttl: 60_000 }, needsApproval: true });
    const { tools } = paying({}, cached);
    const verdicts = [true, false, true];
    const onApproval: ApprovalHook = () => ({ approved: verdicts.shift() === true });
    const results = [];
    for (let index = 0; index < 3; index++) results.push(await resultOf({ ...paying({ onApproval }), tools }));

    expect(results.map(({ result }) => result)).toEqual(["paid", "The call of pay was denied.", "paid"]);
    expect(paid).toHaveLength(1);
  });

  it("uses no time of its tool while it waits [tool.approval-waits]", async () => {
    vi.useFakeTimers();
    const quick = defineTool({ ...payment, timeoutMs: 100, needsApproval: true });
    const onApproval = async () => {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      return { approved: true };
    };
    const result = resultOf(paying({ onApproval }, quick));
    await vi.advanceTimersByTimeAsync(60_000);

    expect((await result).result).toBe("paid");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves its place to other calls while it waits, and waits for one to go on [tool.approval-waits]", async () => {
    const approvals: (() => void)[] = [];
    const onApproval = async () => {
      await new Promise<void>((resolve) => approvals.push(resolve));
      return { approved: true };
    };
    const ends: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const work = smallTool("work", {
      execute: async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => ends.push(resolve));
        running--;
        return "done";
      },
    });
    const guarded = smallTool("guarded", { ...work, name: "guarded", needsApproval: true });
    const calls = [callOf("guarded"), callOf("work", {}, "1"), callOf("work", {}, "2")];
    const results = resultsOf(batchOf([work, guarded], calls, { onApproval, maxParallel: 1 }));
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    approvals[0]?.();
    for (let ended = 0; ended < 3; ended++) {
      await vi.waitFor(() => expect(ends.length).toBeGreaterThan(ended));
      ends[ended]?.();
    }

    expect((await results).map(({ result }) => result)).toEqual(["done", "done", "done"]);
    expect(most).toBe(1);
  });

  it("is not made when the run ends while it waits", async () => {
    const abort = new AbortController();
    const context = contextOf({ signal: abort.signal });
    let approve = () => {};
    const onApproval = async () => {
      await new Promise<void>((resolve) => (approve = resolve));
      return { approved: true };
    };
    const result = resultOf(paying({ context, onApproval }));
    abort.abort();
    await expect(result).rejects.toMatchObject({ code: "cancelled" });
    approve();
    await new Promise(setImmediate);

    expect(paid).toEqual([]);
  });
});

describe("needsApproval as a function", () => {
  it("chooses calls by their checked arguments and the context [tool.needs-approval-function]", async () => {
    const asked: unknown[] = [];
    const tool = defineTool({
      ...payment,
      needsApproval: async ({ amount, to }, { runId }) => {
        asked.push([amount, to, runId]);
        return await Promise.resolve(amount > 100);
      },
    });
    const onApproval = () => ({ approved: false });
    const calls = [callOf("pay", { amount: 100 }, "1"), callOf("pay", { amount: 101 }, "2")];
    const results = await resultsOf(batchOf([tool], calls, { onApproval }));

    expect(results.map(({ result }) => result)).toEqual(["paid", "The call of pay was denied."]);
    expect(asked).toEqual([
      [100, "Ada", "run-1"],
      [101, "Ada", "run-1"],
    ]);
  });

  it.each<[title: string, needed: () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no rates");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no rates"))],
    ["returns nothing", () => undefined],
    ["returns a number", () => 0],
  ])("asks for an approval when it %s, with a warning [tool.needs-approval-function]", async (_, needed) => {
    const { context, warnings } = watched();
    const tool = defineTool({ ...payment, needsApproval: needed as () => boolean });
    const result = await resultOf(paying({ context, onApproval: () => ({ approved: false }) }, tool));

    expect(result.error).toBe("The call of pay was denied.");
    expect(warnings).toMatchObject([
      {
        code: "hook_failed",
        message: "The function needsApproval of the tool pay failed, so its call needs an approval.",
      },
    ]);
  });

  it("cannot change the arguments of the call", async () => {
    const tool = defineTool({ ...payment, needsApproval: (args) => ((args.amount = 500), false) });
    await resultOf(paying({}, tool));

    expect(paid).toEqual([[5, "Ada"]]);
  });
});

describe("a call of a tool without execute", () => {
  it("is an error for the model in a plain run, with one warning [tool.client-alone]", async () => {
    const { context, warnings } = watched();
    const { execute: _, ...client } = payment;
    const tool = defineTool({ ...client, needsApproval: true });
    const onApproval = vi.fn<ApprovalHook>(() => ({ approved: true }));
    const results = await resultsOf(
      batchOf([tool], [call, callOf("pay", { amount: 6 }, "2")], { context, onApproval }),
    );

    expect(results.map(({ error }) => error)).toEqual([
      "The tool pay is not available in this run.",
      "The tool pay is not available in this run.",
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(["client_tool_unavailable"]);
    expect(warnings[0]?.message).toMatch(
      /^The tool pay has no execute: .* Run the agent in a RunService, or give the tool execute\.$/,
    );
    expect(onApproval).not.toHaveBeenCalled();
  });
});
