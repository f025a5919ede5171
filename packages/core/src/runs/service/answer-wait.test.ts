import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { Agent } from "../../agents/agent/agent.ts";
import { createLogger } from "../../base/log/logger.ts";
import type { Logger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import type { FaultPlan } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { askingRunnable } from "./test/asking-runnable.ts";
import { makeService, request, serveRuns, untilStatus } from "./test/services.ts";

const silent = createLogger({ level: "silent" });
const call = { toolCalls: [{ name: "pay", arguments: { amount: 5, to: { name: "Ada" } } }] };

/** A service whose run waits for the approval of a payment, and a second process of it that has no tools. */
async function waitingPayment(plan: FaultPlan = () => undefined) {
  const paid = vi.fn<(args: object) => string>(() => "paid");
  const pay = defineTool({
    name: "pay",
    description: "Pays an amount.",
    parameters: z.object({ amount: z.number().max(100), to: z.object({ name: z.string() }) }),
    needsApproval: true,
    execute: paid,
  });
  const storage = faultyStorage(new InMemoryStorage(), plan);
  const agents = { a: new Agent({ name: "a", model: new ScriptedModel(call, "Done."), tools: [pay] }) };
  const service = await serveRuns({ agents, storage });
  const { runId } = await service.accept(request);
  const [wait] = (await untilStatus(service, runId, "waiting")).waits ?? [];
  return { runId, waitId: wait?.id ?? "", service, other: makeService({ storage }), paid, storage };
}

describe("an answer to an approval", () => {
  it("is not stored before its run is on the list of open ones, where another process finds it", async () => {
    let isFailing = false;
    const { runId, waitId, other, storage } = await waitingPayment(({ method, args }) =>
      isFailing && method !== "get" && args[0] === "run-open" ? "fail-before" : undefined,
    );
    isFailing = true;
    const answered = other.answer(runId, waitId, { approved: true }, "host");

    await expect(answered).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await storage.list("run-inbox")).toEqual([]);
  });

  it.each([
    [{ amount: "much", to: { name: "Ada" } }, "args.amount"],
    [{ amount: 101, to: { name: "Ada" } }, "args.amount"],
    [{ amount: 5, to: {} }, "args.to.name"],
    [{ amount: 5 }, "args.to"],
  ])(
    "an answer to an approval with the arguments %j is refused, names the field, and leaves the wait open",
    async (args, field) => {
      const { runId, waitId, service, other, paid } = await waitingPayment();

      for (const process of [service, other]) {
        await expect(process.answer(runId, waitId, { approved: true, args }, "host")).rejects.toMatchObject({
          code: "invalid_request",
          message: expect.stringContaining(field),
        });
      }

      expect((await service.get(runId, "host")).status).toBe("waiting");
      // By the process that performs runs: that of another one is found by its next sweep.
      await service.answer(runId, waitId, { approved: true, args: { amount: 6, to: { name: "Zoë" } } }, "host");
      await untilStatus(service, runId, "completed");
      expect(paid.mock.calls.map(([given]) => given)).toEqual([{ amount: 6, to: { name: "Zoë" } }]);
    },
  );
});

describe("a wait for a word on a call that may have had its effect", () => {
  it("is told to the operator, with how to answer", async () => {
    const logger = { ...silent, warn: vi.fn<Logger["warn"]>() };
    const ask = askingRunnable({ kind: "doubt", about: { toolName: "charge" } });
    const service = await serveRuns({ agents: { a: ask }, storage: new InMemoryStorage(), logger });
    const { runId } = await service.accept(request);
    await untilStatus(service, runId, "waiting");

    await vi.waitFor(() => expect(logger.warn).toHaveBeenCalledOnce());
    expect(logger.warn.mock.calls[0]?.[0]).toMatch(/"charge".*may have had its effect.*choice: "happened"/);
    expect(logger.warn.mock.calls[0]?.[1]).toEqual({ runId, waitId: expect.any(String) });
  });
});

describe("the function steps of a workflow in a lasting RunService", () => {
  const flow = new Workflow({
    name: "flow",
    initialState: { n: 0 },
    steps: [
      { name: "count", run: () => ({ n: 1 }), effect: "pure" },
      { name: "if", condition: () => true, steps: [{ name: "charge", run: () => ({ n: 2 }) }] },
      { name: "mail", run: () => ({ n: 3 }) },
    ],
  });

  it("are named once, at construction, if they do not say what a second call would do", () => {
    const logger = { ...silent, warn: vi.fn<Logger["warn"]>() };
    makeService({ workflows: { flow }, storage: new InMemoryStorage(), logger });

    expect(logger.warn).toHaveBeenCalledOnce();
    expect(logger.warn.mock.calls[0]?.[0]).toContain("flow/charge, flow/mail have no effect");
  });

  it("are not named where runs end with their process", () => {
    const logger = { ...silent, warn: vi.fn<Logger["warn"]>() };
    makeService({ workflows: new Map([["flow", flow]]), logger });

    expect(logger.warn).not.toHaveBeenCalled();
  });
});
