import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { addUsage, noUsage } from "../../base/message/token-usage.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { UsageMeter } from "./usage-meter.ts";

const tokens = (totalTokens: number): TokenUsage => ({ promptTokens: totalTokens, completionTokens: 0, totalTokens });

describe("UsageMeter", () => {
  it("adds usage to its own total and to those of all parents [usage.totals]", () => {
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

  it("calls back once when more tokens than its limit were used, and goes on counting", () => {
    const told: TroupeError[] = [];
    const meter = new UsageMeter();
    meter.limit(10, (error) => void told.push(error));
    meter.add(tokens(10));
    expect(told).toEqual([]);

    meter.add(tokens(1));
    meter.add(tokens(1));

    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ code: "limit_exceeded", message: expect.stringContaining("limit of 10 tokens") });
    expect(meter.total.totalTokens).toBe(12);
  });

  it("calls back for a parent run when its child runs use more than its limit", () => {
    const told: string[] = [];
    const top = new UsageMeter();
    const child = new UsageMeter({ parent: top });
    top.limit(5, () => void told.push("top"));
    child.limit(100, () => void told.push("child"));

    child.add(tokens(6));

    expect(told).toEqual(["top"]);
  });

  it("has counted by the time it calls back", () => {
    const totals: number[] = [];
    const meter = new UsageMeter();
    meter.limit(1, () => void totals.push(meter.total.totalTokens));
    meter.add(tokens(7));

    expect(totals).toEqual([7]);
  });
});
