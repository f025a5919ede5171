import { getEventListeners } from "node:events";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { RunEvents } from "../run/run-events.ts";
import { executeToolCalls } from "./execute-tool-calls.ts";
import type { ToolBatchOptions } from "./execute-tool-calls.ts";
import { batchOf, callOf, contextOf } from "./test/batch.ts";
import { smallTool } from "./test/small-tool.ts";
import { ToolSet } from "./tool-set.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { ToolDef } from "../run/tool.ts";

type Deed = "returns" | "gives nothing" | "rejects" | "throws" | "hangs" | "obeys" | "throws undefined";
type Planned = { deed: Deed; afterMs: number; timeoutMs: number; effect?: ToolEffect; isCached: boolean };
type Plan = {
  tools: Planned[];
  calls: number[];
  maxParallel: number;
  hookMs: number;
  end: { by: "abort" | "return" | "none"; atMs: number };
};

const deeds: Deed[] = ["returns", "gives nothing", "rejects", "throws", "hangs", "obeys", "throws undefined"];
const ms = fc.integer({ min: 1, max: 60 });

const plans: fc.Arbitrary<Plan> = fc.record({
  tools: fc.array(
    fc.record(
      {
        deed: fc.constantFrom(...deeds),
        afterMs: ms,
        timeoutMs: fc.integer({ min: 1, max: 40 }),
        isCached: fc.boolean(),
        effect: fc.constantFrom<ToolEffect[]>("pure", "once"),
      },
      { requiredKeys: ["deed", "afterMs", "timeoutMs", "isCached"] },
    ),
    { minLength: 1, maxLength: 5 },
  ),
  // One more than there are tools: a name that no tool has. An index that comes twice is an equal call.
  calls: fc.array(fc.nat(5), { maxLength: 8 }),
  maxParallel: fc.integer({ min: 1, max: 8 }),
  hookMs: fc.constantFrom(0, 5),
  end: fc.record({ by: fc.constantFrom("abort", "return", "none"), atMs: fc.integer({ min: 0, max: 70 }) }),
});

let unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);

beforeEach(() => {
  unhandled = [];
  vi.useFakeTimers();
  process.on("unhandledRejection", note);
});
afterEach(() => {
  vi.useRealTimers();
  process.off("unhandledRejection", note);
});

it("executeToolCalls gives each call one result in its order, or ends as cancelled, and leaves nothing behind", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const told: string[] = [];
      const abort = new AbortController();
      const batch = batchFor(plan, { abort, told });
      const { results, error } = await follow(batch, plan, abort);

      expect(flawsOf({ batch, plan, told, results, error })).toEqual([]);
      expect(new Set(told).size).toBe(told.length);
      expect(getEventListeners(abort.signal, "abort")).toEqual([]);
      await vi.advanceTimersByTimeAsync(2000);
      expect(vi.getTimerCount()).toBe(0);
    }),
    { numRuns: { few: 80, many: 600 }[inject("trials")] },
  );
  vi.useRealTimers();
  await new Promise(setImmediate);

  expect(unhandled).toEqual([]);
});

function batchFor(plan: Plan, { abort, told }: { abort: AbortController; told: string[] }): ToolBatchOptions {
  const tools = new ToolSet(plan.tools.map(toolFor));
  const calls = plan.calls.map((tool, index) => callOf(`tool_${tool}`, {}, String(index)));
  const eventBus = new EventBus<RunEvents>();
  eventBus.on("tool.call", ({ toolCallId }) => told.push(`call ${toolCallId}`));
  eventBus.on("tool.result", ({ toolCallId }) => told.push(`result ${toolCallId}`));
  const onToolCall = async () => await new Promise<void>((resolve) => setTimeout(resolve, plan.hookMs));
  const context = contextOf({ signal: abort.signal });
  const { maxParallel } = plan;
  return batchOf(tools, calls, { context, eventBus, maxParallel, ...(plan.hookMs > 0 && { onToolCall }) });
}

function toolFor({ deed, afterMs, timeoutMs, effect, isCached }: Planned, index: number): ToolDef {
  return smallTool(`tool_${index}`, {
    timeoutMs,
    ...(effect !== undefined && { effect }),
    ...(isCached && { cache: { ttl: 100 } }),
    execute: (_, { signal }) => act(deed, afterMs, signal),
  });
}

function act(deed: Deed, afterMs: number, signal: AbortSignal): Promise<string> {
  if (deed === "throws") throw new Error("thrown");
  return new Promise((resolve, reject) => {
    if (deed === "hangs") return;
    const timer = setTimeout(() => {
      if (deed === "rejects") reject(new Error("rejected"));
      else if (deed === "throws undefined") reject(undefined);
      else resolve(deed === "gives nothing" ? (undefined as unknown as string) : "done");
    }, afterMs);
    if (deed !== "obeys") return;
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

type Followed = { results?: ToolCallResult[] | undefined; error?: unknown };

async function follow(batch: ToolBatchOptions, { end }: Plan, abort: AbortController): Promise<Followed> {
  const generator = executeToolCalls(batch);
  let hasLeft = false;
  setTimeout(() => {
    if (end.by === "abort") abort.abort();
    hasLeft = end.by === "return";
  }, end.atMs);
  const followed = read(generator, () => hasLeft);
  await vi.advanceTimersByTimeAsync(1000);
  return await followed;
}

async function read(generator: ReturnType<typeof executeToolCalls>, hasLeft: () => boolean): Promise<Followed> {
  try {
    for (;;) {
      const step = await generator.next();
      if (step.done === true) return { results: step.value };
      if (hasLeft()) {
        await generator.return([]);
        return {};
      }
    }
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { error };
  }
}

type Story = Followed & { batch: ToolBatchOptions; plan: Plan; told: readonly string[] };

/** Sentences for all that should not have happened. */
function flawsOf({ batch, plan, told, results, error }: Story): string[] {
  if (error !== undefined) return TroupeError.is(error) && plan.end.by === "abort" ? [] : ["threw without an abort"];
  if (results === undefined) return plan.end.by === "return" ? [] : ["ended without results"];
  const ids = batch.calls.map(({ id }) => id);
  const events = [...ids.map((id) => `call ${id}`), ...ids.map((id) => `result ${id}`)];
  return [
    ...(isDeepStrictEqual(
      results.map(({ toolCallId }) => toolCallId),
      ids,
    )
      ? []
      : ["results out of order"]),
    ...(isDeepStrictEqual(told.toSorted(), events.toSorted()) ? [] : ["an event too many or too few"]),
    ...results.filter((result) => !isTrue(result, plan)).map(({ toolName }) => `${toolName} did something else`),
  ];
}

/** A result says what its tool did: an answer that came in time, or an error. */
function isTrue({ toolName, result, error }: ToolCallResult, { tools }: Plan): boolean {
  const tool = tools[Number(toolName.slice("tool_".length))];
  if (tool === undefined) return error?.startsWith("Tool ") === true;
  const { deed, afterMs, timeoutMs } = tool;
  const hasAnswer = (deed === "returns" || deed === "obeys") && afterMs < timeoutMs;
  // A timer of the tool and its time limit may come in the same millisecond.
  const text = getTextContent(result);
  const says = error === undefined ? text === "done" : text.startsWith(error.replace(/\.$/, ""));
  return says && (afterMs === timeoutMs || hasAnswer === (error === undefined));
}
