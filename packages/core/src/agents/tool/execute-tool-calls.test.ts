import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EventBus } from "../../base/events/event-bus.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import { runOfContext } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import { defineTool } from "./define-tool.ts";
import { executeToolCalls } from "./execute-tool-calls.ts";
import { batchOf, callOf, contextOf, resultOf, resultsOf } from "./test/batch.ts";
import { smallTool } from "./test/small-tool.ts";

describe("executeToolCalls", () => {
  it("gives each call's result [tool.result-text]", async () => {
    const batch = batchOf([smallTool("weather", { execute: () => "rain" })], [callOf("weather", { city: "Oslo" })]);

    expect(await resultsOf(batch)).toEqual([
      {
        toolCallId: "id-weather",
        toolName: "weather",
        args: { city: "Oslo" },
        result: "rain",
        durationMs: expect.any(Number),
      },
    ]);
  });

  it("gives artifacts beside the text [tool.result-artifacts]", async () => {
    const chart = smallTool("chart", {
      execute: async () => ({ content: "drawn", artifacts: [{ type: "svg", data: "<svg/>" }] }),
    });

    expect(await resultOf(batchOf([chart], [callOf("chart")]))).toMatchObject({
      result: "drawn",
      artifacts: [{ type: "svg", data: "<svg/>" }],
    });
  });

  it("yields results as they come and returns them in the order of the calls", async () => {
    const finish: Record<string, () => void> = {};
    const tools = ["a", "b", "c"].map((name) =>
      smallTool(name, { execute: async () => await new Promise((resolve) => (finish[name] = () => resolve(name))) }),
    );
    const generator = executeToolCalls(batchOf(tools, [callOf("a"), callOf("b"), callOf("c")]));
    const yielded: unknown[] = [];
    let next = generator.next();
    await new Promise(setImmediate);
    for (const name of ["c", "a", "b"]) {
      finish[name]?.();
      const step = await next;
      if (step.done !== true && "result" in step.value) yielded.push(step.value.result);
      next = generator.next();
    }
    const end = (await next) as IteratorReturnResult<ToolCallResult[]>;

    expect(yielded).toEqual(["c", "a", "b"]);
    expect(end.value.map(({ result }) => result)).toEqual(["a", "b", "c"]);
  });

  it("runs calls in parallel", async () => {
    let running = 0;
    let most = 0;
    const tool = smallTool("tool", {
      execute: async () => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        return "done";
      },
    });

    await resultsOf(batchOf([tool], [callOf("tool", {}, "1"), callOf("tool", {}, "2"), callOf("tool", {}, "3")]));

    expect(most).toBe(3);
  });

  it("gives no results for no calls", async () => {
    expect(await resultsOf(batchOf([], []))).toEqual([]);
  });

  it("executes a call whose id occurs twice once", async () => {
    let calls = 0;
    const tool = smallTool("tool", { execute: () => `call ${++calls}` });
    const results = await resultsOf(batchOf([tool], [callOf("tool", { a: 1 }, "1"), callOf("tool", { a: 2 }, "1")]));

    expect(results).toMatchObject([{ toolCallId: "1", args: { a: 1 }, result: "call 1" }]);
    expect(calls).toBe(1);
  });

  it("gives execute checked arguments and a context of the call [tool.execute]", async () => {
    const seen: { args: unknown; context: RunContext }[] = [];
    const tool = defineTool({
      name: "weather",
      description: "Tells the weather.",
      parameters: z.object({ city: z.string(), days: z.number().default(3) }),
      execute: (args, callContext) => {
        seen.push({ args, context: callContext });
        return "rain";
      },
    });
    const context = contextOf({ userId: "ann", parentRunId: "run-0", apiKeys: { openai: "sk-key" } });
    const calls = [callOf("none"), callOf("weather", { city: "Oslo" }, "c2")];
    await resultsOf(batchOf([tool], calls, { context, roundtrip: 4 }));

    expect(seen[0]?.args).toEqual({ city: "Oslo", days: 3 });
    expect(seen[0]?.context).toMatchObject({
      runId: "run-1",
      parentRunId: "run-0",
      userId: "ann",
      toolCallId: "c2",
      idempotencyKey: "run-1/4/1",
    });
    expect(seen[0]?.context.signal).not.toBe(context.signal);
    expect(JSON.stringify(seen[0]?.context)).not.toContain("sk-key");
    // Runs that the tool starts still have the keys.
    expect(seen[0] && runOfContext(seen[0].context)?.settings.apiKeys).toEqual({ openai: "sk-key" });
  });

  it("gives the tool a logger that names the call", async () => {
    const lines: string[] = [];
    const tool = smallTool("tool", {
      execute: (_, { logger }) => {
        logger.info("At work.");
        return "done";
      },
    });
    await resultOf(batchOf([tool], [callOf("tool")], { context: contextOf({ lines }) }));

    expect(lines.join("\n")).toMatch(/At work.*tool.*id-tool/);
  });

  it("gives execute arguments of its own", async () => {
    const call = callOf("tool", { list: [1], nested: { a: 1 } });
    const events: unknown[] = [];
    const eventBus = new EventBus<RunEvents>();
    eventBus.on("tool.call", ({ args }) => {
      events.push(structuredClone(args));
      args["list"] = "changed by a listener";
    });
    const tool = smallTool("tool", {
      execute: (args) => {
        (args["list"] as number[]).push(2);
        Object.assign(args["nested"] as object, { a: 2 });
        return JSON.stringify(args);
      },
    });
    const result = await resultOf(batchOf([tool], [call], { eventBus }));

    expect(result.result).toBe('{"list":[1,2],"nested":{"a":2}}');
    expect(result.args).toEqual({ list: [1], nested: { a: 1 } });
    expect(call.arguments).toEqual({ list: [1], nested: { a: 1 } });
    expect(events).toEqual([{ list: [1], nested: { a: 1 } }]);
  });

  it("emits an event for each call and its result [events.tool-call] [events.tool-result]", async () => {
    const eventBus = new EventBus<RunEvents>();
    const events: unknown[] = [];
    eventBus.on("tool.call", (data) => events.push(["tool.call", data]));
    eventBus.on("tool.result", (data) => events.push(["tool.result", data]));
    const context = contextOf({ parentRunId: "run-0" });
    await resultsOf(batchOf([smallTool("a")], [callOf("a", { x: 1 }), callOf("b")], { context, eventBus }));

    const of = { runId: "run-1", parentRunId: "run-0", sessionId: "session-1" };
    const unknown = 'Tool "b" not found. Expected one of a.';
    expect(events).toEqual([
      ["tool.call", { ...of, toolCallId: "id-a", toolName: "a", args: { x: 1 } }],
      ["tool.call", { ...of, toolCallId: "id-b", toolName: "b", args: {} }],
      ["tool.result", { ...of, toolCallId: "id-b", toolName: "b", result: unknown, error: unknown }],
      ["tool.result", { ...of, toolCallId: "id-a", toolName: "a", result: "done" }],
    ]);
  });

  it("leaves the parent run out of events when there is none", async () => {
    const eventBus = new EventBus<RunEvents>();
    const events: object[] = [];
    eventBus.on("tool.call", (data) => events.push(data));
    await resultOf(batchOf([smallTool("a")], [callOf("a")], { eventBus }));

    expect(Object.keys(events[0] ?? {})).toEqual(["runId", "sessionId", "toolCallId", "toolName", "args"]);
  });
});

describe("onToolCall", () => {
  const weather = defineTool({
    name: "weather",
    description: "Tells the weather.",
    parameters: z.object({ city: z.string(), force: z.boolean().default(true) }),
    execute: ({ force }) => `rain, force ${String(force)}`,
  });

  it("sees the arguments that the tool would get [agent.hooks]", async () => {
    const seen: unknown[] = [];
    const context = contextOf();
    const onToolCall = (run: RunContext, call: unknown) => void seen.push(run === context, call);
    await resultOf(batchOf([weather], [callOf("weather", { city: "Oslo" }, "1")], { context, onToolCall }));

    expect(seen).toEqual([true, { id: "1", name: "weather", arguments: { city: "Oslo", force: true } }]);
  });

  it("denies a call, and the tool is not executed", async () => {
    let calls = 0;
    const tool = smallTool("pay", { execute: () => String(++calls) });
    const context = contextOf({ apiKeys: { openai: "sk-secret" } });
    const onToolCall = async () => ({ deny: "not above 100, sk-secret" });
    const result = await resultOf(batchOf([tool], [callOf("pay")], { context, onToolCall }));

    expect(result).toMatchObject({
      result: "The call of pay was denied: not above 100, [redacted]",
      error: "The call of pay was denied: not above 100, [redacted]",
    });
    expect(calls).toBe(0);
  });

  it.each<[what: string, hook: () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("sk-secret is not known");
      },
    ],
    ["rejects", async () => await Promise.reject(new Error("sk-secret is not known"))],
    [
      "throws undefined",
      () => {
        throw undefined;
      },
    ],
    ["returns neither nothing nor a reason", () => false],
    ["returns a reason that is no text", async () => ({ deny: true })],
  ])("denies the call without a reason when it %s, which is a warning", async (_, hook) => {
    let calls = 0;
    const lines: string[] = [];
    const context = contextOf({ lines, apiKeys: { openai: "sk-secret" } });
    const tool = smallTool("pay", { execute: () => String(++calls) });
    const result = await resultOf(batchOf([tool], [callOf("pay")], { context, onToolCall: hook as never }));

    expect(result.error).toBe("The call of pay was not allowed.");
    expect(calls).toBe(0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/"level":"warn".*The hook onToolCall failed, so pay was not called.*"code":"hook_failed"/);
    expect(lines[0]).not.toContain("sk-secret");
  });

  it("cannot change what is executed", async () => {
    const onToolCall = (_: RunContext, call: { arguments: Record<string, unknown> }) => {
      call.arguments["force"] = false;
    };
    const result = await resultOf(batchOf([weather], [callOf("weather", { city: "Oslo" })], { onToolCall }));

    expect(result.result).toBe("rain, force true");
  });

  it("is not called for calls that cannot be executed", async () => {
    let asked = 0;
    const onToolCall = () => void asked++;
    const calls = [callOf("none"), callOf("weather", { city: 1 }, "2"), callOf("weather", {}, "3")];
    await resultsOf(batchOf([weather], calls, { onToolCall, malformedArguments: [{ toolCallId: "3", text: "{" }] }));

    expect(asked).toBe(0);
  });
});
