import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { WorkflowStep } from "../../agents/workflow/workflow-step.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { fakeClock, serveRuns, soon, untilStatus } from "./test/services.ts";
import { beginFlow, completed, flowOf, now, pass } from "./test/waiting-flows.ts";
import type { State } from "./test/waiting-flows.ts";

const age: WorkflowStep<State> = { name: "age", ask: () => "How old?", schema: z.object({ years: z.number().min(1) }) };

describe("a step that asks", () => {
  it("waits for an answer that fits its schema, and puts it into the state", async () => {
    const { service, runId } = await beginFlow(
      flowOf(age, { name: "next", run: ({ age: given }) => ({ next: given }) }),
    );
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
    const { service, runId } = await beginFlow(flowOf({ name: "who", ask: async () => await Promise.resolve("Who?") }));
    await untilStatus(service, runId, "waiting");

    await expect(service.answer(runId, "w.who.question", { result: 1 }, "host")).rejects.toThrow(/result/);
    await service.answer(runId, "w.who.question", { result: "Åse" }, "host");
    expect(await completed(service, runId)).toEqual({ who: "Åse" });
  });

  it("asks within items and rounds, each on its own", async () => {
    const { service, runId } = await beginFlow(
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
    const { service, runId } = await beginFlow(flow, { storage });
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
    const { service, runId } = await beginFlow(flow);
    const view = await soon(untilStatus(service, runId, "error"));

    expect(view.error).toMatchObject({ code: "timeout", step: "age", message: /Nobody answered in time/ });
  });

  it("fails for a question that is no text", async () => {
    const { service, runId } = await beginFlow(flowOf({ name: "who", ask: () => " " }));

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
    const { service, runId } = await beginFlow(flow, { storage });
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
    const { service, runId } = await beginFlow(flowOf({ name: "nap", sleepUntil: "2020-01-01T00:00:00Z" }));

    expect(await completed(service, runId)).toEqual({});
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
