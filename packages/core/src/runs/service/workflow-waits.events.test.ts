import { describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { WorkflowStep } from "../../agents/workflow/workflow-step.ts";
import { fakeClock, makeService, serveRuns, soon, untilStatus } from "./test/services.ts";
import { beginFlow, completed, flowOf, pass } from "./test/waiting-flows.ts";
import type { State } from "./test/waiting-flows.ts";

describe("a step that waits for an event", () => {
  const paid: WorkflowStep<State> = { name: "paid", waitFor: "payment" };

  it("takes the data of a signal", async () => {
    const { service, runId } = await beginFlow(flowOf(paid));
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
    const { service, runId } = await beginFlow(flow);
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
    const { service, runId } = await beginFlow(
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
    const { service, runId } = await beginFlow(
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
    const { service, runId } = await beginFlow(flowOf(paid));

    await expect(service.signal(runId, event, data as never, "host", options)).rejects.toMatchObject({ code });
  });

  it("takes 64 KB", async () => {
    const { service, runId } = await beginFlow(flowOf(paid));
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
