import { describe, expect, it } from "vitest";
import { CheckRun, CheckTooCostly } from "./check-run.ts";

const failure = (key: string | number) => ({
  path: { parent: undefined, key },
  keyword: "type",
  expected: "string",
  value: key,
});

describe("CheckRun", () => {
  it("keeps the first twenty failures in their order", () => {
    const run = new CheckRun();
    const seen = Array.from({ length: 22 }, (_, index) => [run.isFull, run.fail(failure(index))]);

    expect(seen).toEqual(Array.from({ length: 22 }, (_, index) => [index >= 20, false]));
    expect(run.failures).toEqual(Array.from({ length: 20 }, (_, index) => failure(index)));
  });

  it("may spend a million steps, and no more", () => {
    const run = new CheckRun();
    run.spend(999_999);
    run.spend(1);
    run.spend(0);

    expect(() => run.spend(0.125)).toThrow(CheckTooCostly);
    expect(() => new CheckRun().spend(1_000_001)).toThrow(CheckTooCostly);
  });

  it.each<[string, (run: CheckRun) => unknown, number]>([
    ["a value inside another", (run) => run.nest(1, () => true), 1],
    ["a string of 64 characters", (run) => run.nest("x".repeat(64), () => true), 2],
    ["a list of 16", (run) => run.every(Array.from({ length: 16 }), () => true), 2],
  ])("takes steps for %s", (_kind, work, steps) => {
    const [run, spent] = [new CheckRun(), new CheckRun()];
    run.spend(1_000_000 - steps);
    work(run);
    spent.spend(1_000_000 - steps + 0.125);

    expect(() => run.spend(0.125)).toThrow(CheckTooCostly);
    expect(() => work(spent)).toThrow(CheckTooCostly);
  });

  it("takes no step for an empty list, nor for a try", () => {
    const run = new CheckRun();
    run.spend(1_000_000);

    expect([run.every([], () => false), run.probe(() => true)]).toEqual([true, undefined]);
  });

  it("nests a thousand levels, again and again, and no more", () => {
    const run = new CheckRun();
    const nest = (levels: number): boolean => run.nest(1, () => levels === 1 || nest(levels - 1));

    expect([nest(1000), nest(1000)]).toEqual([true, true]);
    expect(() => nest(1001)).toThrow(CheckTooCostly);
  });

  it("leaves the level of a value that does not fit, as often as it fails", () => {
    const run = new CheckRun();
    const nest = (levels: number): boolean => run.nest(1, () => levels > 1 && nest(levels - 1));

    expect([nest(1000), nest(1000)]).toEqual([false, false]);
    expect(() => nest(1001)).toThrow(CheckTooCostly);
  });

  it("returns what a nested check returns", () => {
    expect([true, false].map((fits) => new CheckRun().nest(1, () => fits))).toEqual([true, false]);
  });

  it.each([
    [[], true],
    [[true, true], true],
    [[false, true, true], false],
    [[true, true, false], false],
  ])("checks all of %j in order, also after one that fails", (items, fits) => {
    const checked: unknown[] = [];
    const check = (item: boolean, index: number) => (checked.push([item, index]), item);

    expect(new CheckRun().every(items, check)).toBe(fits);
    expect(checked).toEqual(items.map((item, index) => [item, index]));
  });

  it("tries a check without recording its failures, also within another try", () => {
    const run = new CheckRun();
    run.fail(failure("before"));
    const inner: unknown[] = [];
    const found = run.probe(() => {
      run.fail(failure("first"));
      inner.push(run.probe(() => run.fail(failure("inner"))));
      return run.fail(failure("second"));
    });

    expect(found).toEqual([failure("first"), failure("second")]);
    expect(inner).toEqual([[failure("inner")]]);
    expect(run.probe(() => (run.fail(failure("lost")), true))).toBeUndefined();
    expect(run.probe(() => false)).toEqual([]);
    expect(run.failures).toEqual([failure("before")]);
  });

  it("records twenty failures of a try, however many there were before it", () => {
    const run = new CheckRun();
    const failTwentyOneTimes = () => run.every(Array.from({ length: 21 }), (_item, index) => run.fail(failure(index)));
    failTwentyOneTimes();

    expect(run.probe(failTwentyOneTimes)).toEqual(Array.from({ length: 20 }, (_, index) => failure(index)));
    expect(run.isFull).toBe(true);
  });
});
