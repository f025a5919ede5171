import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import type { LogEntry } from "../journal/log-entry.ts";
import { entriesIn } from "../journal/test/journals.ts";
import { meterOf, runOfContext } from "../run/derive-context.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { ApprovalHook, ToolHook } from "./approve-call.ts";
import type { ToolBatchOptions } from "./execute-tool-calls.ts";
import { callOf } from "./test/batch.ts";
import { attemptBatch } from "./test/durable-batch.ts";
import { smallTool } from "./test/small-tool.ts";
import { pay } from "./test/pay-tool.ts";

const call = callOf("pay", { amount: 5 }, "1");

const typesIn = (entries: readonly LogEntry[]) => entries.map(({ t }) => t);

describe("a tool call of a durable run", () => {
  it("is logged before its tool is executed, and its whole result after it [run-log.tool-done]", async () => {
    const storage = new InMemoryStorage();
    const logged: string[][] = [];
    const tool = smallTool("draw", {
      execute: async () => {
        logged.push(typesIn(await entriesIn(storage)));
        return { content: [{ type: "text", text: "drawn" }], artifacts: [{ type: "chart", data: { bars: 3 } }] };
      },
    });
    const drawing = callOf("draw", { size: 2 }, "1");
    const first = await attemptBatch(storage, { tools: [tool], calls: [drawing] });
    const entries = await entriesIn(storage);
    const second = await attemptBatch(storage, { tools: [], calls: [drawing] });

    expect(logged).toEqual([["attempt", "call"]]);
    expect(entries[1]).toMatchObject({ step: "t/0/0", tool: "draw", args: { size: 2 }, effect: "once" });
    expect(typesIn(entries)).toEqual(["attempt", "call", "done"]);
    expect(second.results).toEqual(first.results);
    expect(second.results[0]).toMatchObject({ artifacts: [{ type: "chart", data: { bars: 3 } }] });
  });

  it("is neither made nor told of again once its result is stored [run-log.tool-done]", async () => {
    const storage = new InMemoryStorage();
    const { tool, paid } = pay();
    const onToolCall = vi.fn<ToolHook>(() => undefined);
    const onResult = vi.fn<NonNullable<ToolBatchOptions["onResult"]>>();
    const first = await attemptBatch(storage, { tools: [tool], calls: [call], onToolCall });
    const second = await attemptBatch(storage, { tools: [tool], calls: [call], onToolCall, onResult });

    expect(first.events).toEqual(["tool.call 1", "tool.result 1"]);
    expect(second.events).toEqual([]);
    expect(onResult).toHaveBeenCalledOnce();
    expect(paid).toHaveBeenCalledOnce();
    expect(onToolCall).toHaveBeenCalledOnce();
  });

  it.each([
    ["fails", { execute: () => Promise.reject(new Error("no bank")) }],
    ["has wrong arguments", { parameters: z.object({ amount: z.string() }) }],
    ["is denied", { needsApproval: true }],
  ])("is not made again when it %s, either [run-log.tool-done]", async (_, more) => {
    const storage = new InMemoryStorage();
    const { tool } = pay(more);
    const onApproval = vi.fn<ApprovalHook>(() => ({ approved: false }));
    const first = await attemptBatch(storage, { tools: [tool], calls: [call], onApproval });
    const second = await attemptBatch(storage, { tools: [tool], calls: [call], onApproval });

    expect(first.results[0]?.error).toBeDefined();
    expect(second.results).toEqual(first.results);
    expect(onApproval.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it("gives the run the usage and the sources of its child runs again [run-log.tool-done]", async () => {
    const storage = new InMemoryStorage();
    const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
    const tool = smallTool("ask", {
      execute: (_, context) => {
        const run = runOfContext(context);
        run?.passOnSources([{ id: "s1", url: "https://example.org" }]);
        meterOf(context)?.add(usage);
        return "asked";
      },
    });
    const asking = callOf("ask", {}, "1");
    const { run } = await attemptBatch(storage, { tools: [tool], calls: [asking] });
    const again = await attemptBatch(storage, { tools: [tool], calls: [asking] });

    expect(run.sources).toHaveLength(1);
    expect(again.run.sources).toEqual(run.sources);
    expect(again.run.takeSources()).toEqual(run.sources);
    expect(run.meter.total).toMatchObject(usage);
    expect(again.run.meter.total).toEqual(run.meter.total);
  });

  it("gives the run the sources of child runs that reported no tokens again", async () => {
    const storage = new InMemoryStorage();
    const sources = [{ id: "s1", url: "https://example.org" }];
    const tool = smallTool("ask", {
      execute: (_, context) => (runOfContext(context)?.passOnSources(sources), "asked"),
    });
    const asking = callOf("ask", {}, "1");
    await attemptBatch(storage, { tools: [tool], calls: [asking] });
    const again = await attemptBatch(storage, { tools: [tool], calls: [asking] });

    expect(again.run.sources).toEqual(sources);
    expect(again.run.meter.total.totalTokens).toBe(0);
  });

  it("has no entry before it when its tool changes nothing or its result is cached", async () => {
    const storage = new InMemoryStorage();
    const tool = smallTool("look", { effect: "pure" });
    await attemptBatch(storage, { tools: [tool], calls: [callOf("look", {}, "1")] });

    expect(typesIn(await entriesIn(storage))).toEqual(["attempt", "done"]);
  });
});
