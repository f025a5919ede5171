import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { WorkflowStep } from "../../agents/workflow/workflow-step.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import type { RunView } from "../record/run-view.ts";
import { fakeClock, makeService, serveRuns, soon, untilStatus } from "./test/services.ts";
import type { RunService } from "./run-service.ts";

type State = Record<string, unknown>;

function flowOf(...steps: WorkflowStep<State>[]): Workflow<State> {
  return new Workflow<State>({ name: "flow", initialState: {}, steps });
}

/** The time, also on a faked clock. */
const now = () => Date.now();

async function begin(workflow: Workflow<State>, options: { storage?: InMemoryStorage } = {}) {
  const service = await serveRuns({ workflows: { flow: workflow }, now, ...options });
  const { runId } = await service.accept({ kind: "workflow", name: "flow" });
  return { service, runId };
}

/** Lets time pass on a faked clock, and the work that comes due. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    await vi.advanceTimersByTimeAsync(Math.min(10_000, ms - passed));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

const stateOf = ({ output }: RunView) => (output as { state: State }).state;

async function completed(service: RunService, runId: string): Promise<State> {
  return stateOf(await untilStatus(service, runId, "completed"));
}

const age: WorkflowStep<State> = { name: "age", ask: () => "How old?", schema: z.object({ years: z.number().min(1) }) };

describe("a step that asks", () => {
  it("waits for an answer that fits its schema, and puts it into the state", async () => {
    const { service, runId } = await begin(flowOf(age, { name: "next", run: ({ age: given }) => ({ next: given }) }));
    const view = await untilStatus(service, runId, "waiting");

    expect(view.waits).toMatchObject([
      {
        id: "w.age.question",
        kind: "question",
        about: { question: "How old?", step: "age", schema: { properties: { years: { type: "number", minimum: 1 } } } },
      },
    ]);
    for (const wrong of [{ years: 0 }, { years: "é" }, {}, "9", null]) {
      const answer = service.answer(runId, "w.age.question", { result: wrong }, "host");
      await expect(answer).rejects.toMatchObject({
        code: "invalid_request",
        message: /does not fit the question|must have/,
      });
    }
    await expect(service.answer(runId, "w.age.question", {}, "host")).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(await service.get(runId, "host")).toMatchObject({ status: "waiting" });
    await service.answer(runId, "w.age.question", { result: { years: 9 } }, "host");

    expect(await completed(service, runId)).toEqual({ age: { years: 9 }, next: { years: 9 } });
  });

  it("takes a string without a schema, and nothing else", async () => {
    const { service, runId } = await begin(flowOf({ name: "who", ask: async () => await Promise.resolve("Who?") }));
    await untilStatus(service, runId, "waiting");

    await expect(service.answer(runId, "w.who.question", { result: 1 }, "host")).rejects.toThrow(/result/);
    await service.answer(runId, "w.who.question", { result: "Åse" }, "host");
    expect(await completed(service, runId)).toEqual({ who: "Åse" });
  });

  it("asks within items and rounds, each on its own", async () => {
    const { service, runId } = await begin(
      flowOf({
        name: "each",
        forEach: () => ["a", "b", "c"],
        concurrency: 2,
        steps: [{ name: "ok", ask: ({ item }) => `Is ${String(item)} right?` }],
      }),
    );
    const waits = (await untilStatus(service, runId, "waiting")).waits ?? [];
    expect(waits.map(({ id, about }) => [id, about])).toMatchObject([
      ["w.each.0.w.ok.question", { question: "Is a right?" }],
      ["w.each.1.w.ok.question", { question: "Is b right?" }],
    ]);
    await service.answer(runId, "w.each.1.w.ok.question", { result: "B" }, "host");
    await vi.waitUntil(async () => (await service.get(runId, "host")).waits?.some(({ id }) => id.includes("each.2")));
    await service.answer(runId, "w.each.2.w.ok.question", { result: "C" }, "host");
    await service.answer(runId, "w.each.0.w.ok.question", { result: "A" }, "host");

    const each = (await completed(service, runId))["each"] as State[];
    expect(each.map(({ ok }) => ok)).toEqual(["A", "B", "C"]);
  });

  it.each<[string, Pick<Extract<WorkflowStep<State>, { ask: unknown }>, "onTimeout">, unknown]>([
    ["null", { onTimeout: "continue" }, null],
    ["a value", { onTimeout: { value: { years: 0 } } }, { years: 0 }],
  ])("goes on with %s after its time, once over restarts", async (_what, limit, value) => {
    fakeClock();
    const storage = new InMemoryStorage();
    const flow = flowOf({ ...age, waitMs: 3_600_000, ...limit });
    const { service, runId } = await begin(flow, { storage });
    await soon(untilStatus(service, runId, "waiting"));
    await soon(service.close());
    await pass(3_500_000);
    const other = await soon(serveRuns({ workflows: { flow }, storage, now }));
    expect(await soon(other.get(runId, "host"))).toMatchObject({ status: "waiting" });
    await pass(120_000);

    expect(await soon(completed(other, runId))).toEqual({ age: value });
    const late = other.answer(runId, "w.age.question", { result: { years: 5 } }, "host");
    await expect(soon(late)).rejects.toMatchObject({ code: "conflict" });
  });

  it("fails as timeout after its time, without another attempt", async () => {
    fakeClock();
    const retryPolicy = { maxRetries: 3, backoffMs: 1 };
    const flow = new Workflow<State>({
      name: "flow",
      initialState: {},
      retryPolicy,
      steps: [{ ...age, waitMs: 1000 }],
    });
    const { service, runId } = await begin(flow);
    const view = await soon(untilStatus(service, runId, "error"));

    expect(view.error).toMatchObject({ code: "timeout", step: "age", message: /Nobody answered in time/ });
  });

  it("fails for a question that is no text", async () => {
    const { service, runId } = await begin(flowOf({ name: "who", ask: () => " " }));

    expect((await untilStatus(service, runId, "error")).error).toMatchObject({ code: "invalid_value" });
  });
});

describe("a step that sleeps", () => {
  it.each<[string, WorkflowStep<State>]>([
    ["milliseconds", { name: "nap", sleepMs: 90_000 }],
    ["a function", { name: "nap", sleepMs: () => 90_000 }],
    ["a time", { name: "nap", sleepUntil: () => new Date(Date.now() + 90_000) }],
  ])("holds no worker, and goes on at its time over a restart, with %s", async (_what, nap) => {
    fakeClock();
    const storage = new InMemoryStorage();
    const flow = flowOf(nap, { name: "end", run: () => ({ woke: Date.now() }) });
    const { service, runId } = await begin(flow, { storage });
    const began = Date.now();
    const { waits } = await soon(untilStatus(service, runId, "waiting"));
    expect(waits).toMatchObject([{ id: "w.nap.sleep", kind: "sleep", about: { step: "nap" } }]);
    await expect(soon(service.answer(runId, "w.nap.sleep", { result: 1 }, "host"))).rejects.toThrow(/takes no answer/);
    await soon(service.close());
    const other = await soon(serveRuns({ workflows: { flow }, storage, now }));
    await pass(102_000);
    const woke = Number((await soon(completed(other, runId)))["woke"]);

    expect(woke - began).toBeGreaterThanOrEqual(90_000);
    expect(woke - began).toBeLessThan(90_000 + 12_000);
  });

  it("does not wait for a time that is over", async () => {
    const { service, runId } = await begin(flowOf({ name: "nap", sleepUntil: "2020-01-01T00:00:00Z" }));

    expect(await completed(service, runId)).toEqual({});
  });
});

describe("a step that waits for an event", () => {
  const paid: WorkflowStep<State> = { name: "paid", waitFor: "payment" };

  it("takes the data of a signal", async () => {
    const { service, runId } = await begin(flowOf(paid));
    const { waits } = await untilStatus(service, runId, "waiting");
    expect(waits).toMatchObject([{ id: "w.paid.event", kind: "event", about: { event: "payment", step: "paid" } }]);
    await service.signal(runId, "other", 1, "host");
    expect(await service.get(runId, "host")).toMatchObject({ status: "waiting" });
    await service.signal(runId, "payment", { amount: 5 }, "host");

    expect(await completed(service, runId)).toEqual({ paid: { amount: 5 } });
    await expect(service.signal(runId, "payment", 1, "host")).rejects.toMatchObject({ code: "conflict" });
  });

  it("takes signals that came before, first in first out, each once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const more = [2, 3].map((number): WorkflowStep<State> => ({ name: `paid ${number}`, waitFor: "payment" }));
    const flow = flowOf({ name: "slow", run: async () => await promise }, paid, ...more, {
      name: "sent",
      waitFor: "sending",
    });
    const { service, runId } = await begin(flow);
    await service.signal(runId, "payment", 1, "host", { id: "a" });
    await service.signal(runId, "sending", "é", "host");
    await service.signal(runId, "payment", 1, "host", { id: "a" });
    await service.signal(runId, "payment", 2, "host", { id: "b" });
    await expect(service.signal(runId, "payment", 3, "host", { id: "b" })).rejects.toMatchObject({ code: "conflict" });
    resolve();
    await untilStatus(service, runId, "waiting");
    await service.signal(runId, "payment", 3, "host");

    expect(await completed(service, runId)).toEqual({ paid: 1, "paid 2": 2, "paid 3": 3, sent: "é" });
  });

  it("gives each of parallel steps a signal of its own", async () => {
    const { service, runId } = await begin(
      flowOf({ name: "both", parallel: [paid, { name: "again", waitFor: "payment" }] }),
    );
    await untilStatus(service, runId, "waiting");
    await service.signal(runId, "payment", 1, "host");
    await vi.waitUntil(async () => {
      const view = await service.get(runId, "host");
      return view.status === "waiting" && view.waits?.length === 1;
    });
    expect((await service.get(runId, "host")).waits).toMatchObject([{ id: "w.again.event" }]);
    await service.signal(runId, "payment", 2, "host");

    expect(await completed(service, runId)).toEqual({ paid: 1, again: 2 });
  });

  it("leaves a signal that comes after its time to the next step", async () => {
    fakeClock();
    const { service, runId } = await begin(
      flowOf(
        { ...paid, waitMs: 1000, onTimeout: "continue" },
        {
          name: "late",
          waitFor: "payment",
        },
      ),
    );
    await soon(untilStatus(service, runId, "waiting"));
    await pass(1001);
    await soon(service.signal(runId, "payment", 1, "host"));

    expect(await soon(completed(service, runId))).toEqual({ paid: null, late: 1 });
  });

  it("is signalled on another process, and before its run has begun", async () => {
    const storage = new InMemoryStorage();
    const flow = flowOf(paid);
    const [accepting, performing] = [
      makeService({ workflows: { flow }, storage }),
      makeService({ workflows: { flow }, storage }),
    ];
    const { runId } = await accepting.accept({ kind: "workflow", name: "flow" });
    await accepting.signal(runId, "payment", 7, "host");
    await performing.serve();

    expect(await completed(performing, runId)).toEqual({ paid: 7 });
  });

  it.each<[string, [string, unknown, { id?: string }?], string]>([
    ["no event", ["", 1], "invalid_request"],
    ["data that is no JSON", ["payment", () => 1], "invalid_request"],
    ["an empty id", ["payment", 1, { id: "" }], "invalid_request"],
    ["a byte more than 64 KB", ["payment", `${"é".repeat(32_767)}a`], "payload_too_large"],
    ["an event of 129 characters", ["é".repeat(129), 1], "invalid_request"],
  ])("refuses %s", async (_what, [event, data, options], code) => {
    const { service, runId } = await begin(flowOf(paid));

    await expect(service.signal(runId, event, data as never, "host", options)).rejects.toMatchObject({ code });
  });

  it("takes 64 KB", async () => {
    const { service, runId } = await begin(flowOf(paid));
    await service.signal(runId, "payment", "é".repeat(32_767), "host");

    expect(String((await completed(service, runId))["paid"])).toHaveLength(32_767);
  });

  it("takes signals of the run's owner alone", async () => {
    const service = await serveRuns({ workflows: { flow: flowOf(paid) } });
    const owner = { userId: "ada" };
    const { runId } = await service.accept({ kind: "workflow", name: "flow", owner });

    await expect(service.signal(runId, "payment", 1, { userId: "bob" })).rejects.toMatchObject({ code: "not_found" });
    await service.signal(runId, "payment", 2, owner);
    expect(await completed(service, runId)).toEqual({ paid: 2 });
  });
});

describe("a run without a RunService", () => {
  const inner = flowOf({ name: "once", condition: () => false, steps: [age] });

  it.each<[string, Workflow<State>, string]>([
    ["ask", flowOf(age), "age"],
    ["waitFor", flowOf({ name: "up", loop: [{ name: "e", waitFor: "e" }], until: () => true, maxRounds: 1 }), "e"],
    ["an inner workflow", flowOf({ name: "inner", workflow: inner }), "inner/age"],
  ])("refuses a workflow with %s at its start", async (_what, flow, step) => {
    const refusal = { code: "invalid_config", message: expect.stringContaining(`The step "${step}" waits`) as string };

    expect(flow.waitingStep).toBe(step);
    await expect(flow.run()).rejects.toMatchObject(refusal);
    await expect(flow.run("Go.")).rejects.toMatchObject(refusal);
    await expect(flow.stream()[Symbol.asyncIterator]().next()).rejects.toMatchObject(refusal);
  });

  it("sleeps in memory, within its limits", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const flow = flowOf({ name: "nap", sleepMs: 5000 }, { name: "end", run: () => ({ at: Date.now() }) });
    const start = Date.now();
    const end = flow.run();
    const limited = flow.run({ limits: { durationMs: 100 } });
    const refused = limited.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5000);

    expect(await refused).toMatchObject({ code: "limit_exceeded" });
    expect((await end).state).toEqual({ at: start + 5000 });
  });
});
