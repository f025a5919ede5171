import { describe, expect, it } from "vitest";
import { journaledRunId, openJournal } from "../journal/test/journals.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { deriveContext, journalOf } from "./derive-context.ts";
import { resolveRunOpts } from "./resolve-run-opts.ts";
import { testRun } from "./test/test-run.ts";
import { attemptOpts } from "./test/attempt-opts.ts";

describe("the settings of a durable run", () => {
  it("give the child runs of a tool call the same run ids and session ids in every attempt, and each others", async () => {
    const storage = new InMemoryStorage();
    const attempts = [await openJournal(storage), await openJournal(storage)];

    const children = attempts.map((journal) => {
      const run = testRun({ journal });
      const call = deriveContext(run.context, { toolCallId: "1" }, { journal: journal.within("t/0/0") });
      return [resolveRunOpts({ parent: call }), resolveRunOpts({ parent: call })];
    });

    const ids = children.map((settings) => settings.flatMap(({ runId, sessionId }) => [runId, sessionId]));
    expect(ids[1]).toEqual(ids[0]);
    expect(new Set(ids[0]).size).toBe(4);
    expect(children.flat().map(({ isNamedSession }) => isNamedSession)).toEqual([false, false, true, true]);
  });

  it("give no journal to a child run that is started with the context of the whole run, as by a hook", async () => {
    const run = testRun({ journal: await openJournal() });

    expect(run.journal?.runId).toBe(journaledRunId);
    expect(run.runId).toBe(journaledRunId);
    expect(journalOf(run.context)).toBeUndefined();
    expect(resolveRunOpts({ parent: run.context }).journal).toBeUndefined();
    expect(resolveRunOpts({ parent: deriveContext(run.context, { toolCallId: "1" }) }).journal).toBeUndefined();
  });

  it("keep the keys of an auxiliary call apart from those of the run", async () => {
    const run = testRun({ journal: await openJournal() });
    run.forAuxiliaryCall("route").journal?.begin("m/0").done("ann");

    expect(run.journal?.stored("route/m/0")?.value).toBe("ann");
    expect(run.journal?.stored("m/0")).toBeUndefined();
  });

  it("do not take something else for a journal", () => {
    expect(() => resolveRunOpts(attemptOpts({ journal: {} as never }))).toThrow(
      /journal must be the journal of a RunService/,
    );
  });
});
