import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { RunService } from "../runs/durable/run-service.ts";
import type { RunTarget } from "./accept-requested-run.ts";
import { ada, hosted, notFound, request, serving } from "./test/hosted-service.ts";

describe("an answer", () => {
  const given = { waitId: "w", answer: { approved: true } };
  const bob = { userId: "bob" };

  it("of the run's own user is given to its service, and the host is not asked", async () => {
    const { durable, calls } = hosted();
    const mayAnswer = vi.fn<() => boolean>();
    await serving(durable).answer("r", { ...given, caller: ada, mayAnswer });
    expect(mayAnswer).not.toHaveBeenCalled();
    expect(calls.at(-1)).toEqual(["answer", "r", "w", { approved: true }, "host"]);
  });

  it("of another user is given where the host lets it, who is shown the question and its run", async () => {
    const { durable, calls, wait } = hosted();
    const mayAnswer = vi.fn<() => Promise<boolean>>(async () => true);
    await serving(durable).answer("r", { ...given, caller: bob, mayAnswer });
    expect(mayAnswer.mock.calls).toEqual([[{ ...wait, runId: "r", sessionId: "s", name: "helper" }]]);
    expect(calls.slice(1)).toEqual([
      ["get", "r", "host"],
      ["getWait", "r", "w", "host"],
      ["answer", "r", "w", { approved: true }, "host"],
    ]);
  });

  it.each<{ why: string; id?: string; waitId?: string; mayAnswer?: () => boolean | Promise<boolean> }>([
    { why: "the host says no", mayAnswer: () => false },
    { why: "the host says no later", mayAnswer: async () => false },
    { why: "the host is not asked" },
    { why: "there is no such question", waitId: "x", mayAnswer: () => true },
    { why: "there is no such run", id: "q", mayAnswer: () => true },
  ])("of another user is for no run when $why", async ({ id = "r", waitId = "w", mayAnswer }) => {
    const { durable, calls } = hosted();
    const answered = serving(durable).answer(id, { ...given, waitId, caller: bob, mayAnswer });
    await expect(answered).rejects.toMatchObject(notFound);
    expect(calls.map(([name]) => name)).not.toContain("answer");
  });
});

it("a durable run is refused by a shutdown before anything else is asked", async () => {
  const { service, durable, calls } = hosted();
  const runs = serving(durable);
  const performer = vi.spyOn(service.hosting, "findPerformer");
  await runs.drain();
  calls.length = 0;
  const target = runs.keeperOf(request()) as RunTarget;
  const accepted = runs.accept({ input: "Hi.", opts: { runId: "r" }, owner: {} } as never, target);
  await expect(accepted).rejects.toMatchObject({ code: "unavailable", fields: { retryAfterMs: 1000 } });
  expect(performer).not.toHaveBeenCalled();
  expect(calls).toEqual([]);
});

describe("the end of a transport's runs", () => {
  it("hands durable runs back without a limit, and closes what keeps the others once the runs are over", async () => {
    const { durable, calls } = hosted();
    const order: string[] = [];
    const runs = serving(durable, { onRunsOver: async () => void order.push("runs over") });
    const kept = runs.keeperOf(request({ name: "plain", key: "k" }))?.service as RunService;
    const closing = vi.spyOn(kept, "close").mockImplementation(async () => void order.push("closed"));
    const run = runs.begin({ opts: { runId: "p" }, owner: {} } as never, { endsWithClient: true });
    const drained = runs.drain().then(() => order.push("drained"));
    expect(runs.isDraining).toBe(true);
    expect(() => runs.checkOpen()).toThrow(expect.objectContaining({ code: "unavailable" }));
    await expect(runs.checkReady()).rejects.toMatchObject({ code: "unavailable" });
    await vi.waitFor(() => expect(calls).toEqual([["drain", 2_147_483_647]]));
    order.push("ended");
    run.end();
    await drained;
    expect(order).toEqual(["ended", "runs over", "closed", "drained"]);
    closing.mockRestore();
  });

  it("is at once where it is asked for, and a service that fails to hand back breaks nothing", async () => {
    const { service, durable, calls } = hosted();
    const runs = serving(durable);
    const run = runs.begin({ opts: { runId: "p" }, owner: {} } as never, { endsWithClient: false });
    onTestFinished(() => run.end());
    const drain = service.drain;
    service.drain = async (...args) => {
      await drain(...args);
      throw new Error("storage");
    };
    runs.endAll();
    expect(calls).toEqual([["drain", 0]]);
    expect(run.signal.reason).toMatchObject({ code: "unavailable" });
  });

  it("leaves the host's service open when the transport is closed", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    const kept = runs.keeperOf(request({ name: "plain", key: "k" }))?.service as RunService;
    const closed = vi.spyOn(kept, "close");
    const run = runs.begin({ opts: { runId: "p" }, owner: {} } as never, { endsWithClient: true });
    onTestFinished(() => run.end());
    await runs.close();
    expect(run.signal.reason).toMatchObject({ code: "unavailable" });
    expect(closed).toHaveBeenCalledOnce();
    expect(calls).toEqual([]);
  });
});
