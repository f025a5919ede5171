import { describe, expect, it } from "vitest";
import type { WorkflowStep } from "../../agents/workflow/workflow-step.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import type { RunView } from "../record/run-view.ts";
import { fakeClock, serveRuns, soon, untilStatus } from "./test/services.ts";

type State = Record<string, unknown>;

/** The time, also on a faked clock. */
const now = () => Date.now();

async function begin(...steps: WorkflowStep<State>[]) {
  const flow = new Workflow<State>({ name: "flow", initialState: { rounds: 0 }, steps });
  const service = await serveRuns({ workflows: { flow }, now });
  const { runId } = await service.accept({ kind: "workflow", name: "flow" });
  return { service, runId };
}

const stateOf = ({ output }: RunView) => (output as { state: State }).state;

describe("a loop of steps that wait", () => {
  it("asks, sleeps and waits for an event in each round anew", async () => {
    const { service, runId } = await begin({
      name: "again",
      loop: [
        { name: "colour", ask: ({ rounds }) => `Farbe ${String(rounds)}? 🎨` },
        // Long enough to be a wait of its own: a time that has passed already is none.
        { name: "nap", sleepMs: 200 },
        { name: "paid", waitFor: "bezahlt ✓" },
        { name: "count", run: ({ rounds }) => ({ rounds: Number(rounds) + 1 }) },
      ],
      until: ({ rounds }) => rounds === 2,
      maxRounds: 3,
    });
    await service.signal(runId, "bezahlt ✓", "first", "host");
    const asked: unknown[] = [];
    for await (const event of service.events(runId, "host")) {
      if (event.type !== "wait") continue;
      const { id, kind, about } = event.wait;
      asked.push([id, kind === "question" ? (about as { question: string }).question : kind]);
      if (kind === "question") await service.answer(runId, id, { result: `rot ${asked.length}` }, "host");
      if (kind === "event") await service.signal(runId, "bezahlt ✓", "second", "host");
    }

    // The first round finds its signal, which came before. The second signal is for the second round.
    expect(asked).toEqual([
      ["w.again.0.w.colour.question", "Farbe 0? 🎨"],
      ["w.again.0.w.nap.sleep", "sleep"],
      ["w.again.1.w.colour.question", "Farbe 1? 🎨"],
      ["w.again.1.w.nap.sleep", "sleep"],
      ["w.again.1.w.paid.event", "event"],
    ]);
    expect(stateOf(await service.get(runId, "host"))).toMatchObject({ rounds: 2, colour: "rot 3", paid: "second" });
  });
});

describe("an event that does not come in time", () => {
  const paid = { name: "paid", waitFor: "payment", waitMs: 60_000 } as const;

  it("gives the value of onTimeout", async () => {
    fakeClock();
    const { service, runId } = await soon(begin({ ...paid, onTimeout: { value: { amount: 0 } } }));

    expect(stateOf(await soon(untilStatus(service, runId, "completed")))).toMatchObject({ paid: { amount: 0 } });
  });

  it("fails the step as timeout by default", async () => {
    fakeClock();
    const { service, runId } = await soon(begin(paid));
    const { error } = await soon(untilStatus(service, runId, "error"));

    expect(error).toMatchObject({ code: "timeout", step: "paid" });
  });
});

it("an event may have a name of 128 characters, whatever they are", async () => {
  const event = "ü".repeat(128);
  const { service, runId } = await begin({ name: "paid", waitFor: event });
  await service.signal(runId, event, 1, "host");

  expect(stateOf(await untilStatus(service, runId, "completed"))).toMatchObject({ paid: 1 });
});
