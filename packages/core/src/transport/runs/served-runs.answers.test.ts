import { describe, expect, it, vi } from "vitest";
import {
  ada,
  hosted,
  neverEnding,
  notFound,
  plainTerms,
  requestedOf,
  serving,
  termsOf,
} from "./test/hosted-service.ts";

const live = (runId: string) => ({ ...requestedOf(runId), subject: neverEnding });

describe("an answer", () => {
  const given = { waitId: "w", answer: { approved: true } };
  const bob = { userId: "bob" };

  it("an answer of the run's own user is given to its service, and the host is not asked", async () => {
    const { durable, calls } = hosted();
    const mayAnswer = vi.fn<() => boolean>();
    await serving(durable).answer("r", { ...given, caller: ada, mayAnswer });
    expect(mayAnswer).not.toHaveBeenCalled();
    expect(calls.at(-1)).toEqual(["answer", "r", "w", { approved: true }, "host"]);
  });

  it("an answer of another user is given where the host lets it, who is shown the question and its run", async () => {
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
  const unavailable = { code: "unavailable", fields: { retryAfterMs: 1000 } };
  await expect(runs.begin(requestedOf("r"), termsOf())).rejects.toMatchObject(unavailable);
  await expect(runs.beginStored(requestedOf("r"), plainTerms)).rejects.toMatchObject(unavailable);
  await expect(runs.begin(requestedOf("r"), termsOf({ name: "plain" }))).rejects.toMatchObject(unavailable);
  expect(performer).not.toHaveBeenCalled();
  expect(calls).toEqual([]);
});

describe("the end of the runs of a service", () => {
  it("hands durable runs back without a limit, and closes what stores the others once the runs are over", async () => {
    const { durable, calls } = hosted();
    const order: string[] = [];
    const runs = serving(durable);
    for (const name of ["first", "second"]) {
      runs.afterRuns(async () => {
        await Promise.resolve();
        order.push(name);
      });
    }
    const stored = await runs.beginStored(requestedOf(), plainTerms);
    await stored.over;
    const closing = vi.spyOn(stored.service, "close").mockImplementation(async () => void order.push("closed"));
    const run = await runs.begin(live("p"), termsOf({ name: "plain" }));
    const settled = run.settled().catch(() => order.push("ended"));
    const drained = runs.drain().then(() => order.push("drained"));
    expect(runs.isDraining).toBe(true);
    expect(() => runs.checkOpen()).toThrow(expect.objectContaining({ code: "unavailable" }));
    await expect(runs.checkReady()).rejects.toMatchObject({ code: "unavailable" });
    await vi.waitFor(() => expect(calls).toEqual([["drain", 2_147_483_647]]));
    await new Promise(setImmediate);
    expect(order).toEqual([]);
    run.disconnect();
    await Promise.all([settled, drained]);
    expect(order).toEqual(["ended", "first", "second", "closed", "drained"]);
    closing.mockRestore();
  });

  it("is at once where it is asked for, and a service that fails to hand back breaks nothing", async () => {
    const { service, durable, calls } = hosted();
    const runs = serving(durable);
    const run = await runs.begin(live("p"), termsOf({ name: "plain" }));
    const settled = run.settled();
    const drain = service.drain;
    service.drain = async (...args) => {
      await drain(...args);
      throw new Error("storage");
    };
    runs.endAll();
    expect(calls).toEqual([["drain", 0]]);
    expect(run.signal.reason).toMatchObject({ code: "unavailable" });
    await expect(settled).rejects.toMatchObject({ code: "unavailable" });
  });

  it("leaves the host's service open when the runs are closed", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    const stored = await runs.beginStored(requestedOf(), plainTerms);
    await stored.over;
    const closed = vi.spyOn(stored.service, "close");
    const settled = (await runs.begin(live("p"), termsOf({ name: "plain" }))).settled();
    void settled.catch(() => undefined);
    await runs.close();
    await expect(settled).rejects.toMatchObject({ code: "unavailable" });
    expect(closed).toHaveBeenCalledOnce();
    expect(calls).toEqual([]);
  });
});
