import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { readUntilEnd } from "../run/test/small-run.ts";
import { countedSignal } from "../run/test/listeners.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { RunStream } from "../run/runnable.ts";
import { runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { until } from "../../testing/conformance/assert.ts";
import { runnableAsTool } from "../tool/runnable-as-tool.ts";
import { callOf, scripted, toolNamed } from "./test/agents.ts";

/** A tool that never ends by itself and does not listen, and the signals it was given. */
function deafTool() {
  const signals: AbortSignal[] = [];
  const tool = toolNamed("look", (_at, { signal }) => {
    signals.push(signal);
    return new Promise<string>(() => {});
  });
  return { tool, signals };
}

const twoCalls = { toolCalls: [callOf("1"), callOf("2", "Rome")] };

/** Everything that ends a run from outside, done while something is going on. */
const ways: [
  name: string,
  opts: (controller: AbortController) => RunOpts,
  end: (stream: RunStream, controller: AbortController) => void,
][] = [
  ["cancel()", () => ({}), (stream) => stream.cancel()],
  ["the caller's signal", ({ signal }) => ({ signal }), (_stream, controller) => controller.abort()],
];

describe.each(ways)("a run that is ended by %s", (_name, opts, end) => {
  it("aborts the signal of the model call before that returns", async () => {
    const { agent, model } = scripted([{ hang: true }]);
    const controller = new AbortController();
    const stream = agent.stream("Hi", opts(controller));
    const error = runErrorOf(stream.output);
    await until(() => model.calls.length === 1);
    end(stream, controller);
    expect(model.calls[0]?.options.signal?.aborted).toBe(true);

    expect((await error).code).toBe("cancelled");
    await until(() => model.calls[0]?.end === "cancelled");
  });

  it("aborts the signals of all its tools, and waits for none that ignores its signal", async () => {
    const { tool, signals } = deafTool();
    const { agent } = scripted([twoCalls], { tools: [tool] });
    const controller = new AbortController();
    const stream = agent.stream("Hi", opts(controller));
    const error = runErrorOf(stream.output);
    await until(() => signals.length === 2);
    end(stream, controller);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);

    expect((await error).code).toBe("cancelled");
  });

  it("ends the model call and the tool of an agent that is a tool", async () => {
    const { tool, signals } = deafTool();
    const inner = scripted([twoCalls], { name: "inner", tools: [tool] });
    const outer = scripted([{ toolCalls: [{ id: "1", name: "ask_inner", arguments: { input: "Hi" } }] }], {
      tools: [runnableAsTool(inner.agent)],
    });
    const ends: string[] = [];
    inner.agent.eventBus.on("run.error", ({ error }) => void ends.push(error.code));
    const controller = new AbortController();
    const stream = outer.agent.stream("Hi", opts(controller));
    const error = runErrorOf(stream.output);
    await until(() => signals.length === 2);
    end(stream, controller);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);

    expect((await error).code).toBe("cancelled");
    await until(() => ends.length > 0);
    expect(ends).toEqual(["cancelled"]);
  });
});

describe("a run that ends before its time", () => {
  it("aborts all signals when its reader leaves", async () => {
    const { tool, signals } = deafTool();
    const { agent } = scripted([{ text: "I look.", ...twoCalls }], { tools: [tool] });
    const stream = agent.stream("Hi");
    const chunks = stream[Symbol.asyncIterator]();
    for (let step = await chunks.next(); step.value?.type !== "tool_call_delta";) step = await chunks.next();
    const waits = readUntilEnd({ [Symbol.asyncIterator]: () => chunks });
    await until(() => signals.length === 2);

    await chunks.return?.();

    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect((await waits).error).toMatchObject({ code: "cancelled" });
    expect((await runErrorOf(stream.output)).output.text).toBe("I look.");
  });

  it("ends at the duration limit of the run, else of the agent", async () => {
    vi.useFakeTimers();
    try {
      const { agent } = scripted([{ hang: true }, { hang: true }], { limits: { durationMs: 1000 } });
      const codes: string[] = [];
      const note = (error: { code: string }) => void codes.push(error.code);
      const runs = [agent.run("Hi").catch(note), agent.run("Hi", { limits: { durationMs: 100 } }).catch(note)];
      await vi.advanceTimersByTimeAsync(100);
      expect(codes).toEqual(["limit_exceeded"]);
      await vi.advanceTimersByTimeAsync(900);
      await Promise.all(runs);
      expect(codes).toEqual(["limit_exceeded", "limit_exceeded"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("calls no tool when it is over its token limit", async () => {
    const tool = toolNamed("look", () => expect.unreachable());
    const { agent, model } = scripted([twoCalls, "Hi."], { tools: [tool], limits: { totalTokens: 14 } });
    const error = await runErrorOf(agent.run("Hi"));

    expect(error).toMatchObject({ code: "limit_exceeded", output: { toolCalls: [], usage: { totalTokens: 15 } } });
    expect(model.calls).toHaveLength(1);
  });

  it("may use exactly as many tokens as its limit", async () => {
    expect((await scripted(["Hi."], { limits: { totalTokens: 15 } }).agent.run("Hi")).status).toBe("completed");
    const { agent } = scripted(["Hi."]);
    expect(await runErrorOf(agent.run("Hi", { limits: { totalTokens: 14 } }))).toMatchObject({
      code: "limit_exceeded",
    });
  });

  it("ends with its parent run, and counts for the parent's limit", async () => {
    const inner = scripted(["Inner."], { name: "inner" });
    const asks = { toolCalls: [{ id: "1", name: "ask_inner", arguments: { input: "Hi" } }] };
    const outer = scripted([asks, "Hi."], { tools: [runnableAsTool(inner.agent)], limits: { totalTokens: 29 } });
    const error = await runErrorOf(outer.agent.run("Hi"));

    expect(error).toMatchObject({ code: "limit_exceeded", output: { usage: { totalTokens: 30 } } });
    expect(outer.model.calls).toHaveLength(1);
  });

  it("logs a tool that goes on after its signal aborted", async () => {
    const lines: string[] = [];
    // Not the error stream: other files of the worker write to it, too.
    const logger = createLogger({ level: "warn", write: (line) => lines.push(line) });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { tool, signals } = deafTool();
    const { agent } = scripted([{ toolCalls: [callOf("1")] }], { tools: [tool], logger });
    const stream = agent.stream("Hi");
    const error = runErrorOf(stream.output);
    await vi.waitUntil(() => signals.length === 1);
    stream.cancel();
    expect((await error).code).toBe("cancelled");
    await vi.advanceTimersByTimeAsync(999);
    expect(lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(lines.join()).toContain("The tool look is still running");
  });

  it("leaves no listener on a signal that outlives it, whatever the end", async () => {
    const { signal, listeners } = countedSignal();
    const { agent, model } = scripted([twoCalls, "Hi.", { error: new Error("broken") }, { hang: true }, "Late."], {
      tools: [toolNamed("look", () => "seen")],
      sessionId: "s",
    });
    await agent.run("Hi", { signal });
    await runErrorOf(agent.run("Hi", { signal }));
    const stream = agent.stream("Hi", { signal });
    const output = runErrorOf(stream.output);
    const waiting = agent.run("Hi", { signal });
    await until(() => model.calls.length === 4);
    stream.cancel();
    await output;
    await waiting;

    expect(listeners()).toBe(0);
  });
});
