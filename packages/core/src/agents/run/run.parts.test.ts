import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import { createLogger, silentLogger } from "../../base/log/logger.ts";
import type { RunEvents } from "./run-events.ts";
import { deriveContext } from "./derive-context.ts";
import { testRun } from "./test/test-run.ts";

const source = (id: string) => ({ id, url: `https://example.com/${id}` });

/** A logger with its lines, as parsed JSON. */
function noting() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, logger: createLogger({ level: "debug", write }) };
}

describe("the output of a run", () => {
  it("has the artifacts of all tool calls in their order, each with its call", () => {
    const run = testRun();
    const call = { args: {}, result: "", durationMs: 1 };
    const [chart, table] = [
      { type: "chart", data: 1 },
      { type: "table", data: 2 },
    ];
    run.toolCalls.push(
      { ...call, toolCallId: "1", toolName: "draw", artifacts: [chart, table] },
      { ...call, toolCallId: "2", toolName: "look" },
      { ...call, toolCallId: "3", toolName: "draw", artifacts: [chart] },
    );
    expect(run.toOutput("completed").artifacts).toEqual([
      { ...chart, toolCallId: "1", toolName: "draw" },
      { ...table, toolCallId: "1", toolName: "draw" },
      { ...chart, toolCallId: "3", toolName: "draw" },
    ]);
  });

  it("has the sources so far, each once, and later ones do not change it", () => {
    const run = testRun();
    expect(run.addSource(source("a"))).toEqual(source("a"));
    expect(run.addSource(source("a"))).toBeUndefined();
    run.addSources([source("a"), source("b")]);
    const output = run.toOutput("completed");
    run.addSource(source("c"));
    expect(output.sources).toEqual([source("a"), source("b")]);
    expect(run.sources).toEqual([source("a"), source("b"), source("c")]);
  });

  it.each([undefined, null, "a", { 0: source("a") }])("has no sources from %j in place of an array", (given) => {
    const run = testRun();
    run.addSources(given as never);
    expect(run.sources).toEqual([]);
    expect(run.toOutput("completed")).not.toHaveProperty("sources");
  });

  it("says that its turn is not stored only where that is so", () => {
    const run = testRun();
    expect(run.toOutput("completed")).not.toHaveProperty("stored");
    run.isStored = false;
    expect(run.toOutput("completed").stored).toBe(false);
  });
});

it("sources of child runs are taken once, and only those that the run did not know", () => {
  const run = testRun();
  expect(run.takeSources()).toEqual([]);
  run.addSource(source("a"));
  run.passOnSources([source("a"), source("b")]);
  run.passOnSources(undefined);
  run.passOnSources([source("c"), source("b")]);
  expect(run.takeSources()).toEqual([source("b"), source("c")]);
  expect(run.takeSources()).toEqual([]);
  run.passOnSources([source("d")]);
  expect(run.takeSources()).toEqual([source("d")]);
  expect(run.sources).toHaveLength(4);
});

describe("an event of a run", () => {
  it("has the ids of the run and its session, and those of its parent, its call and its user if there are any", () => {
    const eventBus = new EventBus<RunEvents>();
    const told: unknown[] = [];
    eventBus.on("run.start", (data) => void told.push(data));
    const parent = testRun({}, { eventBus });
    const call = deriveContext(parent.context, { toolCallId: "t" });
    const child = testRun({ parent: call, sessionId: "s", userId: "ada", tenantId: "acme" }, { eventBus });
    const data = { agentName: "a", input: "Hi" };
    for (const run of [parent, child]) run.emit("run.start", data);
    expect(told).toStrictEqual([
      { runId: parent.runId, sessionId: parent.context.sessionId, ...data },
      {
        runId: child.runId,
        parentRunId: parent.runId,
        delegationId: "t",
        sessionId: "s",
        userId: "ada",
        tenantId: "acme",
        ...data,
      },
    ]);
  });

  it("is not made where nothing listens", () => {
    const eventBus = new EventBus<RunEvents>();
    const emit = vi.spyOn(eventBus, "emit");
    eventBus.on("run.complete", () => undefined);
    testRun({}, { eventBus }).emit("run.start", { agentName: "a", input: "Hi" });
    expect(emit).not.toHaveBeenCalled();
  });
});

it("Run warns once of each code where that is asked for, and each time otherwise", () => {
  const { lines, logger } = noting();
  const run = testRun({}, { logger });
  run.warnOnce("a", "First.", { n: 1 });
  run.warnOnce("a", "Second.");
  run.warnOnce("b", "Third.");
  run.warn("a", "Fourth.");
  expect(lines.map(({ message, code, n }) => [message, code, n])).toEqual([
    ["First.", "a", 1],
    ["Third.", "b", undefined],
    ["Fourth.", "a", undefined],
  ]);
  const other = testRun({}, { logger });
  other.warnOnce("a", "Fifth.");
  expect(lines).toHaveLength(4);
});

describe("the clock of a run", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it("has a deadline from its start by the monotonic clock, and none before", () => {
    const run = testRun({ limits: { durationMs: 1000 } });
    expect(run.endsAt).toBe(Infinity);
    vi.advanceTimersByTime(30);
    run.start();
    expect(run.endsAt).toBe(performance.now() + 1000);
  });
});

it("Run aborts its signal, also that of its auxiliary calls, with the very reason", () => {
  const run = testRun();
  const auxiliary = run.forAuxiliaryCall("route");
  const reason = new TroupeError("timeout", "Too slow.");
  auxiliary.abort(reason);
  expect([run.signal.aborted, run.signal.reason]).toEqual([true, reason]);
  expect(run.context.signal).toBe(run.signal);
});

it("Run shares all but the record and the keys of steps with its auxiliary calls", () => {
  const run = testRun({}, { model: { modelId: "m", providerId: "p" } });
  run.input = "Replaced";
  run.messages.push({ role: "assistant", content: "Hello" });
  const auxiliary = run.forAuxiliaryCall("route");
  expect(auxiliary.modelCalls).toBe(run.modelCalls);
  expect(auxiliary.meter).toBe(run.meter);
  expect(auxiliary.logger).toBe(run.logger);
  expect(auxiliary.eventBus).toBe(run.eventBus);
  expect(auxiliary.settings).toBe(run.settings);
  expect([auxiliary.input, auxiliary.messages, auxiliary.model]).toEqual(["Replaced", [], run.model]);
  expect(auxiliary.steps).toBe(run.steps);
});

describe("the logger of a run", () => {
  const key = "sk-canary-of-the-run";

  it("is the given one with the id of the run, and hides its keys", () => {
    const { lines, logger } = noting();
    const run = testRun({ apiKeys: { openai: key, google: undefined } }, { logger });
    run.logger.info(`With ${key}.`);
    run.context.logger.info("Again.");
    expect(lines).toMatchObject([
      { level: "info", message: "With [redacted].", runId: run.runId },
      { level: "info", message: "Again.", runId: run.runId },
    ]);
  });

  it("is that of the parent run with its name where the runnable has none, and else none", () => {
    const { lines, logger } = noting();
    const parent = testRun({}, { logger });
    const child = testRun({ parent: parent.context }, { name: "clerk", logger: undefined });
    child.logger.info("Hello.");
    expect(lines).toMatchObject([{ message: "Hello.", runId: child.runId, prefix: "clerk" }]);
    expect(testRun({}, { logger: undefined }).logger).toBe(silentLogger);
  });
});

it("the context of a run shows a claimed user as not verified, its parent run, and its caller's session", () => {
  const parent = testRun();
  const child = testRun({ parent: parent.context, sessionId: "s/3f2a#writer", userId: "ada", verified: false });
  const { signal: _signal, logger: _logger, ...facts } = child.context;
  expect(facts).toStrictEqual({
    runId: child.runId,
    parentRunId: parent.runId,
    agentName: "agent",
    sessionId: "s",
    userId: "ada",
    verified: false,
    metadata: {},
  });
});
