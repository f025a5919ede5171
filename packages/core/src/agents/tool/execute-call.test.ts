import { afterEach, describe, expect, it, vi } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import { openJournal } from "../journal/test/journals.ts";
import { createLogger } from "../../base/log/logger.ts";
import type { LogLevel } from "../../base/log/log-level.ts";
import type { ToolCall, ToolCallResult } from "../../base/message/tool-call.ts";
import type { RunEvents } from "../run/run-events.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { OpenJournalStep } from "../journal/open-step.ts";
import { onStoredResult } from "./child-run-tool.ts";
import { formProblem } from "./execute-call.ts";
import type { MalformedArguments } from "./execute-call.ts";
import { batchOf, callOf, contextOf, resultOf } from "./test/batch.ts";
import { attemptBatch } from "./test/durable-batch.ts";
import { smallTool } from "./test/small-tool.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const again = ": call it again with one JSON object as arguments";

describe("formProblem", () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

  it.each<[args: unknown]>([
    [{}],
    [{ a: undefined }],
    [{ a: [null, 1, "x"] }],
    [nested(64)],
    [JSON.parse('{"__proto__":1}')],
  ])("finds none in an object: %j", (args) => {
    expect(formProblem({ ...callOf("a"), arguments: args } as ToolCall, undefined)).toBeUndefined();
  });

  it.each<[args: unknown, problem: string]>([
    [null, "are not an object"],
    [undefined, "are not an object"],
    [[{}], "are not an object"],
    ["{}", "are not an object"],
    [nested(65), "nest deeper than 64 levels"],
    [{ a: NaN }, "hold the number NaN, which JSON cannot hold"],
    [{ a: "\ud83d" }, "hold an unpaired surrogate, which is no character"],
    [{ a: "x".repeat(1_048_576) }, "are longer than 1048576 characters"],
  ])("tells of arguments in the plural", (args, problem) => {
    expect(formProblem({ ...callOf("a"), arguments: args } as ToolCall, undefined)).toBe(`${problem}${again}`);
  });

  it.each<[malformed: Omit<MalformedArguments, "toolCallId">, problem: string]>([
    [{ text: "" }, "are not a JSON object"],
    [{ text: "[1]" }, "are not an object"],
    [{ text: '{"a":1}' }, "are not a JSON object"],
    [{ text: '{"a":' }, "are not valid JSON: it ends too early"],
    [{ text: "{}", problem: "nests deeper than 48 levels" }, "nest deeper than 48 levels"],
    [{ text: "{}", problem: "is what it is and nests" }, "are what it is and nests"],
  ])("tells of a text that is no object, sound as the arguments may be: %j", (malformed, problem) => {
    const call = callOf("a", { fits: true });

    expect(formProblem(call, { toolCallId: call.id, ...malformed })).toBe(`${problem}${again}`);
  });
});

describe("a call that was made", () => {
  it("has a result whose parts are no one else's, told to onResult before the event", async () => {
    const order: string[] = [];
    const results: ToolCallResult[] = [];
    const eventBus = new EventBus<RunEvents>();
    eventBus.on("tool.result", ({ artifacts }) => {
      order.push("event");
      Object.assign(artifacts?.[0]?.data as object, { bars: "changed" });
    });
    const execute = () => ({ content: "drawn", artifacts: [{ type: "chart", data: { bars: 3 } }] });
    const call = callOf("draw", { at: { x: 1 } });
    const onResult = (result: ToolCallResult) => (order.push("onResult"), results.push(result));
    const result = await resultOf(batchOf([smallTool("draw", { execute })], [call], { eventBus, onResult }));

    expect(order).toEqual(["onResult", "event"]);
    expect(result).toStrictEqual({
      toolCallId: "id-draw",
      toolName: "draw",
      args: { at: { x: 1 } },
      result: "drawn",
      artifacts: [{ type: "chart", data: { bars: 3 } }],
      durationMs: expect.any(Number),
    });
    expect(results).toEqual([result]);
    expect(result.args).not.toBe(call.arguments);
    expect(result.args["at"]).not.toBe(call.arguments["at"]);
  });

  it("has an event of its result without arguments and time", async () => {
    const events: unknown[] = [];
    const eventBus = new EventBus<RunEvents>();
    eventBus.on("tool.result", (event) => events.push(event));
    const execute = () => ({ content: "drawn", artifacts: [{ type: "chart", data: 1 }] });
    await resultOf(batchOf([smallTool("draw", { execute })], [callOf("draw", { a: 1 })], { eventBus }));

    const artifacts = [{ type: "chart", data: 1 }];
    expect(events).toStrictEqual([
      { runId: "run-1", sessionId: "session-1", toolCallId: "id-draw", toolName: "draw", result: "drawn", artifacts },
    ]);
  });

  it.each<[level: LogLevel, execute: () => string, failed: boolean | undefined]>([
    ["debug", () => "the result", false],
    [
      "debug",
      () => {
        throw new Error("the reason");
      },
      true,
    ],
    ["info", () => "the result", undefined],
  ])("is logged at level debug without what it took and gave: %s", async (level, execute, failed) => {
    const lines: string[] = [];
    const logger = createLogger({ level, color: false, write: (line) => lines.push(line) });
    const context = contextOf({ logger });
    await resultOf(batchOf([smallTool("look", { execute })], [callOf("look", { at: "the place" })], { context }));
    const ends = lines.filter((line) => line.includes("The tool call ended."));

    const fields = { level: "debug", toolName: "look", toolCallId: "id-look", failed };
    expect(ends.map((line) => JSON.parse(line))).toMatchObject(failed === undefined ? [] : [fields]);
    expect(ends.every((line) => line.includes('"durationMs":'))).toBe(true);
    expect(ends.join("\n")).not.toMatch(/the (place|result|reason)/);
  });

  it("takes the time of hook and tool", async () => {
    vi.useFakeTimers();
    const onToolCall = async () => await vi.advanceTimersByTimeAsync(20).then(() => undefined);
    const execute = async () => await vi.advanceTimersByTimeAsync(30).then(() => "done");
    const { durationMs } = await resultOf(batchOf([smallTool("a", { execute })], [callOf("a")], { onToolCall }));

    expect(durationMs).toBe(50);
  });
});

describe("a call whose result is stored", () => {
  it("is told to its tool with the journal of the call, if its calls are child runs", async () => {
    const storage = new InMemoryStorage();
    const stored = vi.fn<(journal: { stored: (key: string) => unknown }) => void>();
    const tools = [{ ...smallTool("ask"), [onStoredResult]: stored }, smallTool("look")];
    const calls = [callOf("look"), callOf("ask")];
    await attemptBatch(storage, { tools, calls });
    expect(stored).not.toHaveBeenCalled();
    const other = await openJournal(storage);
    other.part("t/0/1").begin("x").done(7);
    await other.flush();
    const onResult = vi.fn<(result: ToolCallResult) => void>();
    const { journal, results } = await attemptBatch(storage, { tools, calls, onResult });

    expect(stored).toHaveBeenCalledOnce();
    expect(stored.mock.calls[0]?.[0].stored("x")).toMatchObject({ value: 7 });
    expect(onResult.mock.calls).toEqual(results.map((result) => [result]));
    expect(journal.durable.stopped).toBeUndefined();
  });

  it("leaves its step, also when it throws", async () => {
    const leave = vi.spyOn(OpenJournalStep.prototype, "leave");
    vi.spyOn(OpenJournalStep.prototype, "beforeWork").mockImplementation(
      async () => await Promise.reject(new Error("lost")),
    );
    const batch = { tools: [smallTool("a")], calls: [callOf("a")] };

    await expect(attemptBatch(new InMemoryStorage(), batch)).rejects.toMatchObject({ code: "internal" });
    expect(leave).toHaveBeenCalledOnce();
  });
});
