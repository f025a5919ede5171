import { Agent, createLogger, InMemoryStorage, Workflow } from "@troupe/core";
import type { WorkflowStep } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { ask, revisions, serveAgUi } from "../test/serve.ts";
import type { Received } from "../test/serve.ts";

type State = { paid?: unknown };

/** Serves a workflow whose steps come before an agent that greets. */
async function serveSteps(...steps: readonly WorkflowStep<State>[]) {
  const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Grüße.") });
  const flow = new Workflow<State>({ name: "flow", initialState: {}, steps: [...steps, { name: "greet", agent }] });
  const logger = createLogger({ level: "silent" });
  const service = createService({ workflows: { flow }, storage: new InMemoryStorage(), durable: true, logger });
  return { url: `${await serveAgUi(service)}/agui/workflows/flow`, runs: service.runs };
}

describe.each(revisions)(
  "a workflow that waits for its client and for an event, as revision %s takes it",
  (revision) => {
    it.each([
      ["before", ["wish", "paid"]],
      ["after", ["paid", "wish"]],
    ])("pauses with the question alone, asked %s the event [ag-ui.run]", async (_, names) => {
      const steps = {
        wish: { name: "wish", ask: () => "Und?" },
        paid: { name: "paid", waitFor: "bezahlt ✓" },
      } as const;
      const parallel = names.map((name) => steps[name as keyof typeof steps]);
      const { url } = await serveSteps({ name: "both", parallel });
      const paused = vi.fn<(events: readonly Received[]) => void>();
      void ask(url, revision, { messages: [] }).then(paused);

      await vi.waitFor(() => expect(paused).toHaveBeenCalled(), { timeout: 15_000 });
      expect(paused.mock.lastCall?.[0].at(-1)).toMatchObject({
        outcome: { type: "interrupt", interrupts: [{ message: "Und?" }] },
      });
    });
  },
);

describe.each(revisions)("a workflow that waits for nobody, as revision %s takes it", (revision) => {
  it("goes on after a sleep, in the same stream [ag-ui.run]", async () => {
    const { url } = await serveSteps({ name: "nap", sleepMs: 60 });
    const events = await ask(url, revision, { messages: [] });

    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    expect(events.findLast(({ type }) => type === "STATE_SNAPSHOT")?.["snapshot"]).toMatchObject({ greet: "Grüße." });
  });

  it("goes on with an event that another client signals, in the same stream [ag-ui.run]", async () => {
    const { url, runs } = await serveSteps({ name: "paid", waitFor: "bezahlt ✓" });
    const answer = ask(url, revision, { messages: [] });
    const waiting = async () => (await runs?.list("host", { status: "waiting" }))?.runs.map(({ runId }) => runId) ?? [];
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 20_000, interval: 5 });
    const [runId = ""] = await waiting();
    await runs?.signal(runId, "bezahlt ✓", { amount: 40 }, "host");

    const events = await answer;
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    expect(JSON.stringify(events)).toContain("40");
  });
});
