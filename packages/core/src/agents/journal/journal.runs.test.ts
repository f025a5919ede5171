import { describe, expect, it, onTestFinished, vi } from "vitest";
import { journaledRunId, openJournal } from "./test/journals.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { deriveContext, inheritanceOf, meterOf, runOfContext, stepsOf } from "../run/derive-context.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import { plainSteps } from "../run/run-steps.ts";
import { testRun } from "../run/test/test-run.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

describe("the settings of a durable run", () => {
  it("give the child runs of a tool call the same run ids and session ids in every attempt, and each others", async () => {
    const storage = new InMemoryStorage();
    const attempts = [await openJournal(storage), await openJournal(storage)];

    const children = attempts.map((journal) => {
      const run = testRun({ steps: journal });
      const call = deriveContext(run.context, { toolCallId: "1" }, { steps: journal.part("t/0/0") });
      return [resolveRunOpts({ parent: call }), resolveRunOpts({ parent: call })];
    });

    const ids = children.map((settings) => settings.flatMap(({ runId, sessionId }) => [runId, sessionId]));
    expect(ids[1]).toEqual(ids[0]);
    expect(new Set(ids[0]).size).toBe(4);
    expect(children.flat().map(({ isNamedSession }) => isNamedSession)).toEqual([false, false, true, true]);
  });

  it("give no journal to a child run that is started with the context of the whole run, as by a hook", async () => {
    const run = testRun({ steps: await openJournal() });

    expect(run.steps.durable?.runId).toBe(journaledRunId);
    expect(run.runId).toBe(journaledRunId);
    expect(stepsOf(run.context)).toBe(plainSteps);
    expect(resolveRunOpts({ parent: run.context }).steps).toBe(plainSteps);
    expect(resolveRunOpts({ parent: deriveContext(run.context, { toolCallId: "1" }) }).steps).toBe(plainSteps);
  });

  it("keep the keys of an auxiliary call apart from those of the run", async () => {
    const journal = await openJournal();
    await testRun({ steps: journal })
      .forAuxiliaryCall("route")
      .step("m/0", "check", () => "ann");

    expect(journal.stored("route/m/0")?.value).toBe("ann");
    expect(journal.stored("m/0")).toBeUndefined();
  });

  it("do not take something else for a journal", () => {
    expect(() => resolveRunOpts(attemptOpts({ steps: {} as never }))).toThrow(
      /steps must be the steps of a RunService/,
    );
  });
});

it("a run counts the time of earlier attempts of a durable run, and not for its child runs", async () => {
  const journal = await openJournal();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  vi.spyOn(journal.durable, "performedMs", "get").mockReturnValue(700);
  const run = testRun({ steps: journal });
  const child = testRun({ steps: journal, parent: run.context });
  expect(run.steps).toBe(journal);
  for (const each of [run, child]) each.start();
  vi.advanceTimersByTime(5);
  expect(run.toOutput("completed")).toMatchObject({ durationMs: 705, metrics: { durationMs: 705 } });
  expect(child.toOutput("completed").durationMs).toBe(5);
});

describe("the parts of a durable run", () => {
  const own = { userId: "u", verified: false, tenantId: "t", metadata: { a: 1 } };
  const run = testRun({ sessionId: "s", ...own, apiKeys: { openai: "k" } });
  const { context } = run;

  it("has what the part of the run says in place of the run's own, part within part", async () => {
    const [meter, ephemeralStorage, journal] = [new UsageMeter(), new InMemoryStorage(), await openJournal()];
    const outer = deriveContext(context, {}, { meter, endsAt: 5, steps: journal });
    const inner = deriveContext(outer, { toolCallId: "1" }, { endsAt: 0, ephemeralStorage });
    const { steps: child, ...inherited } = inheritanceOf(inner);

    expect(inherited).toMatchObject({
      ...own,
      parentRunId: run.runId,
      meter,
      endsAt: 0,
      ephemeralStorage,
      apiKeys: { openai: "k" },
    });
    expect([meterOf(inner), stepsOf(inner), runOfContext(inner)]).toEqual([meter, journal, run]);
    expect([meterOf(context), stepsOf(context)]).toEqual([run.meter, plainSteps]);
    expect(inheritanceOf(outer)).toMatchObject({ endsAt: 5, ephemeralStorage: undefined });
    expect(child.id("x")).toBe(journal.part("c0").id("x"));
    expect(inheritanceOf(inner).steps.id("x")).toBe(journal.part("c2").id("x"));
  });
});
