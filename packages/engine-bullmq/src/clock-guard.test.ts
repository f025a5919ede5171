import { describe, expect, it } from "vitest";
import { ClockGuard } from "./clock-guard.ts";

const here = 1_700_000_000_000;

/** A guard whose process has the time `here`, beside a database whose time differs by each of these milliseconds. */
function guardWith(...differencesMs: number[]) {
  const left = [...differencesMs];
  const clock = {
    now: async () => await Promise.resolve(here + (left.shift() ?? Number.NaN)),
    clearFutureChecks: async () => await Promise.resolve(),
  };
  return { guard: new ClockGuard({ clock, now: () => here, lockMs: 3000, queues: ["q"] }), left };
}

describe("the clock of a process", () => {
  it.each<[differencesMs: number[], skewMs: number | undefined]>([
    [[0, 900, 900], undefined],
    [[400, 900, 900], undefined],
    [[900, 400, 900], undefined],
    [[-900, -900, -400], undefined],
    [[500, 900, 900], undefined],
    [[501, 900, 900], 501],
    [[900, 900, 501], 501],
    [[-900, -700, 800], 700],
  ])("that differs by %j ms in three measurements is wrong by %j ms", async (differencesMs, skewMs) => {
    const { guard } = guardWith(...differencesMs);
    const wrong = await guard.check();
    expect(wrong?.code).toBe(skewMs === undefined ? undefined : "unavailable");
    expect(wrong?.message ?? "").toContain(skewMs === undefined ? "" : `differs by ${skewMs} ms`);
  });

  it("is measured no further once it has shown no difference, in each check", async () => {
    const { guard, left } = guardWith(0, 900, 0, 900, 900, 900);
    expect(await guard.check()).toBeUndefined();
    expect(left).toHaveLength(5);
    expect(await guard.check()).toBeUndefined();
    expect(left).toHaveLength(3);
    expect(await guard.check()).toMatchObject({ code: "unavailable" });
    expect(left).toEqual([]);
  });
});
