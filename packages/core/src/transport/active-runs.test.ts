import { describe, expect, it } from "vitest";
import type { TroupeError } from "../base/errors/troupe-error.ts";
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
});
