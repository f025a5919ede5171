import { expect, it } from "vitest";
import type { OutsideCosts } from "./measure-outside.ts";
import { cheaperThanTroupe, toOutsideRows } from "./outside-table.ts";

function costsOf(name: string, ...ratios: readonly [number, number, number]): OutsideCosts {
  const [run, tool, stream] = ratios.map((ratio) => ({ cpuUs: ratio * 1000, ratio })) as [Cost, Cost, Cost];
  return { name, version: "1.0.0", costs: { run, tool, stream } };
}
type Cost = OutsideCosts["costs"]["run"];

it("the table of products shows each product with its version, its processor time and its ratio", () => {
  expect(toOutsideRows([costsOf("Ours", 1, 1, 1), costsOf("Theirs", 2.5, 0.5, 3)]).slice(1)).toEqual([
    ["Ours 1.0.0", "1000 (1.00)", "1000 (1.00)", "1000 (1.00)"],
    ["Theirs 1.0.0", "2500 (2.50)", "500 (0.50)", "3000 (3.00)"],
  ]);
});

it("the table of products names each product that costs less than ours, and for what", () => {
  const measured = [costsOf("Ours", 1, 1, 1), costsOf("Theirs", 0.99, 1.01, 0.5), costsOf("Others", 1, 1, 1)];
  expect(cheaperThanTroupe(measured)).toBe("Theirs costs less in a whole answer and a stream.");
  expect(cheaperThanTroupe([costsOf("Ours", 1, 1, 1)])).toBe("None of them cost less in these rounds.");
});
