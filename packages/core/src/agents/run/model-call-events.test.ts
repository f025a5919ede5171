import { afterEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import { ModelCallEvents } from "./model-call-events.ts";
import type { RunEvents } from "./run-events.ts";

type Name = "model.call" | "model.result";
type Heard = [Name, RunEvents[Name]];

const model = { providerId: "openai", modelId: "m" };
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const callId = expect.stringMatching(/^[\da-f-]{36}$/);

function scene(names: readonly Name[] = ["model.call", "model.result"], parentRunId?: string) {
  const eventBus = new EventBus<RunEvents>();
  const heard: Heard[] = [];
  for (const name of names) eventBus.on(name, (data) => void heard.push([name, data]));
  const events = new ModelCallEvents(eventBus, {
    runId: "r1",
    ...(parentRunId !== undefined && { parentRunId }),
    agentName: "a",
    sessionId: "s1",
    metadata: {},
    signal: new AbortController().signal,
    logger: silentLogger,
  });
  return { events, heard, eventBus };
}

afterEach(() => void vi.useRealTimers());

describe("ModelCallEvents", () => {
  it("tells each attempt at a call with its end, under one id", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { events, heard } = scene();
    const start = events.begin(model);
    const first = start?.(1);
    vi.advanceTimersByTime(20);
    first?.({ error: new Error("a secret of the vendor") });
    const second = start?.(2);
    vi.advanceTimersByTime(5);
    second?.({ usage, responseId: "resp" });

    const ids = { runId: "r1", sessionId: "s1", callId, ...model };
    const error = { code: "internal", message: "Something went wrong in this service." };
    expect(heard).toStrictEqual([
      ["model.call", { ...ids, attempt: 1 }],
      ["model.result", { ...ids, attempt: 1, durationMs: 20, error }],
      ["model.call", { ...ids, attempt: 2 }],
      ["model.result", { ...ids, attempt: 2, durationMs: 5, usage, responseId: "resp" }],
    ]);
    expect(new Set(heard.map(([, data]) => data.callId)).size).toBe(1);
  });

  it("has another id for each call, and names the parent run", () => {
    const { events, heard } = scene(["model.call"], "r0");
    for (let call = 0; call < 2; call++) events.begin(model)?.(1);
    expect(heard).toMatchObject([1, 2].map(() => ["model.call", { runId: "r1", parentRunId: "r0", attempt: 1 }]));
    expect(new Set(heard.map(([, data]) => data.callId)).size).toBe(2);
  });

  it("tells the calls of a model that passes them on as attempts at one call", () => {
    const { events, heard } = scene();
    const start = events.beginPassedOn();
    const ends = ["one", "two"].map((modelId) => start?.({ providerId: "p", modelId }));
    ends[1]?.({ usage });
    events.beginPassedOn()?.({ providerId: "p", modelId: "three" });
    const shown = heard.map(([name, { modelId, attempt }]) => [name, modelId, attempt]);
    expect(shown).toEqual([
      ["model.call", "one", 1],
      ["model.call", "two", 2],
      ["model.result", "two", 2],
      ["model.call", "three", 1],
    ]);
    expect(new Set(heard.map(([, data]) => data.callId)).size).toBe(2);
    expect(heard[0]?.[1]).toEqual({
      runId: "r1",
      sessionId: "s1",
      callId,
      providerId: "p",
      modelId: "one",
      attempt: 1,
    });
  });

  it("tells the first end of an attempt alone, with a copy of its usage", () => {
    const { events, heard } = scene(["model.result"]);
    const end = events.begin(model)?.(1);
    end?.({ usage });
    end?.({ error: new Error("late") });
    expect(heard).toHaveLength(1);
    expect(heard[0]?.[1]).toStrictEqual({
      runId: "r1",
      sessionId: "s1",
      callId,
      ...model,
      attempt: 1,
      durationMs: expect.any(Number),
      usage,
    });
    expect(Object.values(heard[0]?.[1] ?? {})).not.toContain(usage);
  });

  it.each<[what: string, failure: TroupeError | undefined, error: object]>([
    ["that failed", new TroupeError("timeout", "Too slow."), { code: "timeout", message: "Too slow." }],
    ["that is over", undefined, { code: "cancelled", message: "The run was over before the model had answered." }],
  ])("ends the attempts under way with a run %s, and tells none after it", (_what, failure, error) => {
    const { events, heard } = scene();
    const start = events.begin(model);
    const [done, open] = [start?.(1), start?.(2)];
    events.begin(model)?.(1);
    done?.({ usage });
    events.close(failure);
    events.close(failure);
    open?.({ usage });
    start?.(3)({ usage });

    expect(heard.map(([name, { attempt }]) => [name, attempt])).toEqual([
      ["model.call", 1],
      ["model.call", 2],
      ["model.call", 1],
      ["model.result", 1],
      ["model.result", 2],
      ["model.result", 1],
    ]);
    expect(heard.slice(-2).map(([, data]) => data)).toMatchObject([{ error }, { error }]);
  });

  const oneModel = (events: ModelCallEvents) => events.begin(model);
  const passedOn = (events: ModelCallEvents) => {
    const start = events.beginPassedOn();
    return start && (() => start(model));
  };

  it.each([
    ["the first attempt at a call", oneModel, 1],
    ["the second attempt at a call", oneModel, 2],
    ["the first call of a model that passes calls on", passedOn, 1],
    ["the second call of a model that passes calls on", passedOn, 2],
  ])("reports the end of %s whose model.call handler ends the run, before the run is over", (_what, begin, last) => {
    const { events, heard, eventBus } = scene();
    const order: string[] = [];
    eventBus.on("model.call", ({ attempt }) => {
      if (attempt !== last) return;
      events.close(new TroupeError("cancelled", "Enough."));
      order.push("over");
    });
    eventBus.on("model.result", ({ attempt }) => void order.push(`result ${attempt}`));
    const start = begin(events);
    for (let attempt = 1; attempt <= last; attempt++) start?.(attempt)({ usage });
    start?.(last + 1)({ usage });

    expect(order).toEqual([...(last === 2 ? ["result 1"] : []), `result ${last}`, "over"]);
    expect(heard.filter(([name]) => name === "model.call")).toHaveLength(last);
    expect(heard.at(-1)).toMatchObject(["model.result", { attempt: last, error: { code: "cancelled" } }]);
  });

  it("makes no events that nobody hears", () => {
    const { events, eventBus } = scene([]);
    expect([events.begin(model), events.beginPassedOn()]).toEqual([undefined, undefined]);
    events.close();
    const off = eventBus.on("model.result", () => undefined);
    expect([events.begin(model), events.beginPassedOn()]).toEqual([expect.any(Function), expect.any(Function)]);
    off();
    eventBus.on("model.call", () => undefined);
    expect([events.begin(model), events.beginPassedOn()]).toEqual([expect.any(Function), expect.any(Function)]);
  });
});
