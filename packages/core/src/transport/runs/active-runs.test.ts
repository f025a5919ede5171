import { describe, expect, it } from "vitest";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { ActiveRuns } from "./active-runs.ts";

function begin(runs: ActiveRuns, id: string, owner = {}) {
  const reasons: TroupeError[] = [];
  return { reasons, end: runs.begin(id, { owner }, (reason) => reasons.push(reason)) };
}

describe("ActiveRuns", () => {
  it("cancels a run by its id, any number of times, until it is over", () => {
    const runs = new ActiveRuns();
    const run = begin(runs, "1");

    runs.cancel("1");
    runs.cancel("1");
    run.end();

    expect(run.reasons.map(({ code }) => code)).toEqual(["cancelled", "cancelled"]);
    expect(runs.cancel("1")).toBe(false);
  });

  it.each([
    ["another user", { userId: "u", tenantId: "t" }, { userId: "v", tenantId: "t" }],
    ["another tenant", { userId: "u", tenantId: "t" }, { userId: "u" }],
    ["a caller without a user", { userId: "u" }, {}],
  ])("does not find a run for %s", (_whose, owner, caller) => {
    const runs = new ActiveRuns();
    const run = begin(runs, "1", owner);

    expect(runs.cancel("1", caller)).toBe(false);
    expect(run.reasons).toEqual([]);
  });

  it("lets its user cancel a run, and anyone who knows its id if it has no user", () => {
    const runs = new ActiveRuns();
    const own = begin(runs, "1", { userId: "u" });
    const open = begin(runs, "2");

    runs.cancel("1", { userId: "u" });
    runs.cancel("2", { userId: "u" });

    expect([own.reasons.length, open.reasons.length]).toEqual([1, 1]);
  });

  it("lets callers without a user cancel a run of a claimed user, and no user", () => {
    const runs = new ActiveRuns();
    const reach = { owner: { userId: "u", verified: false }, isBearer: true };
    runs.begin("1", reach, () => undefined);

    const answers = [{ userId: "u" }, { userId: "v" }, { tenantId: "t" }, {}].map((caller) => runs.cancel("1", caller));

    expect(answers).toEqual([false, false, false, true]);
  });

  it("refuses runs while draining, and is drained when the last one is over", async () => {
    const runs = new ActiveRuns();
    const run = begin(runs, "1");
    let isDrained = false;
    const drained = runs.drain().then(() => (isDrained = true));

    expect(() => begin(runs, "2")).toThrow(expect.objectContaining({ code: "unavailable" }));
    expect(runs.size).toBe(1);
    await Promise.resolve();
    expect(isDrained).toBe(false);
    run.end();
    await drained;
    await runs.drain();

    expect(runs.size).toBe(0);
  });

  it("ends all runs as unavailable", () => {
    const runs = new ActiveRuns();
    const run = begin(runs, "1");

    runs.endAll();

    expect(run.reasons[0]).toMatchObject({ code: "unavailable", fields: { retryAfterMs: 1000 } });
  });

  it("ActiveRuns is drained for each shutdown that waits, and not before the last of its runs is over", async () => {
    const runs = new ActiveRuns();
    const [first, second] = [begin(runs, "1"), begin(runs, "2")];
    const done: string[] = [];
    const drained = ["one", "two"].map(async (who) => {
      await runs.drain();
      done.push(who);
    });
    first.end();
    first.end();
    await new Promise(setImmediate);
    expect([done, runs.size]).toEqual([[], 1]);

    second.end();
    await Promise.all(drained);
    expect(done).toEqual(["one", "two"]);
  });

  it("ActiveRuns tells runs that it ends or refuses when to come again, and takes new ones until it drains", () => {
    const shuttingDown = {
      code: "unavailable",
      message: "The service is shutting down. Try again in a moment.",
      fields: { retryAfterMs: 1000 },
    };
    const runs = new ActiveRuns();
    const run = begin(runs, "1");
    runs.endAll();
    expect(run.reasons).toMatchObject([shuttingDown]);
    expect(runs.isDraining).toBe(false);
    begin(runs, "2").end();
    run.end();

    void runs.drain();
    expect(runs.isDraining).toBe(true);
    for (const refused of [() => runs.checkOpen(), () => begin(runs, "3")]) {
      expect(refused).toThrow(expect.objectContaining(shuttingDown));
    }
    expect(runs.size).toBe(0);
  });
});
