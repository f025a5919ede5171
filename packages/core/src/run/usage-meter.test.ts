import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TroupeError } from "../errors/troupe-error.ts";
import { addUsage, noUsage } from "../message/token-usage.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import { UsageMeter } from "./usage-meter.ts";

const tokens = (totalTokens: number): TokenUsage => ({ promptTokens: totalTokens, completionTokens: 0, totalTokens });

describe("UsageMeter", () => {
  it("adds what was billed, to its own account and to all above [usage.totals]", () => {
    const top = new UsageMeter();
    const middle = new UsageMeter({ parent: top });
    const [one, other] = [new UsageMeter({ parent: middle }), new UsageMeter({ parent: middle })];

    one.add({ ...tokens(3), cachedTokens: 1 });
    other.add(tokens(4));
    middle.add(tokens(5));

    expect([one, other, middle, top].map(({ total }) => total.totalTokens)).toEqual([3, 4, 12, 12]);
    expect(top.total).toEqual({ ...tokens(12), cachedTokens: 1 });
    expect(new UsageMeter().total).toEqual(noUsage);
  });

  it("has the same total as the sum of all that was added, however it is spread", () => {
    const entries = fc.array(fc.tuple(fc.nat(2), fc.nat(1000)));
    fc.assert(
      fc.property(entries, (added) => {
        const top = new UsageMeter();
        const below = [new UsageMeter({ parent: top }), new UsageMeter({ parent: top }), top];
        for (const [which, amount] of added) below[which]?.add(tokens(amount));

        const sum = added.reduce((total, [, amount]) => addUsage(total, tokens(amount)), noUsage);
        expect(top.total).toEqual(sum);
      }),
    );
  });

  it("tells once when more was used than may be, and goes on counting", () => {
    const told: TroupeError[] = [];
    const meter = new UsageMeter({ totalTokens: 10, onExceeded: (error) => void told.push(error) });
    meter.add(tokens(10));
    expect(told).toEqual([]);

    meter.add(tokens(1));
    meter.add(tokens(1));

    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ code: "limit_exceeded", message: expect.stringContaining("limit of 10 tokens") });
    expect(meter.total.totalTokens).toBe(12);
  });

  it("tells the run above when the runs below use more than that may", () => {
    const told: string[] = [];
    const top = new UsageMeter({ totalTokens: 5, onExceeded: () => void told.push("top") });
    const below = new UsageMeter({ parent: top, totalTokens: 100, onExceeded: () => void told.push("below") });

    below.add(tokens(6));

    expect(told).toEqual(["top"]);
  });

  it("has counted by the time it tells", () => {
    const totals: number[] = [];
    const meter: UsageMeter = new UsageMeter({
      totalTokens: 1,
      onExceeded: () => void totals.push(meter.total.totalTokens),
    });
    meter.add(tokens(7));

    expect(totals).toEqual([7]);
  });
});
