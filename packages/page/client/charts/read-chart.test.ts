import { describe, expect, it } from "vitest";
import { readChart } from "./read-chart.ts";

const series = [{ name: "Oslo", values: [1, 2, null] }];

describe("the data of an artifact as a chart", () => {
  it.each([
    ["numbers, in their order", [3, 1, 2], "number", [1, 2, 3], ["1", "2", "3"], [2, null, 1]],
    [
      "days",
      ["2026-01-02", "2026-01-01", "2026-01-03"],
      "time",
      [1767225600, 1767312000, 1767398400],
      undefined,
      [2, 1, null],
    ],
    ["labels, as they are", ["b", "a", "c"], "label", [0, 1, 2], ["b", "a", "c"], [1, 2, null]],
    ["texts of which not all are days", ["2026-01-02", "a", "2026-13-40"], "label", [0, 1, 2], undefined, [1, 2, null]],
  ] as const)("has an axis of %s", (...[, x, axis, positions, labels, values]) => {
    const chart = readChart({ x, series });

    expect(chart).toMatchObject({ axis, kind: "line", x: positions, series: [{ name: "Oslo", values }] });
    expect(chart?.labels).toEqual(labels ?? chart?.labels);
  });

  it("is read from JSON, with its kind and its texts in one line", () => {
    const data = {
      kind: "bar",
      title: "Rain\u202e\nhere",
      xLabel: "Day",
      unit: "mm",
      x: ["a"],
      series: [{ name: "é".repeat(200), values: [1] }],
    };

    expect(readChart(JSON.stringify(data))).toMatchObject({
      kind: "bar",
      title: "Rain  here",
      xLabel: "Day",
      unit: "mm",
      series: [{ name: `${"é".repeat(79)}…` }],
    });
  });

  it.each<[string, unknown]>([
    ["no object", [1]],
    ["no JSON", "{"],
    ["no points", { x: [], series: [{ name: "a", values: [] }] }],
    ["no series", { x: [1], series: [] }],
    ["a series that is none", { x: [1], series: [1] }],
    ["too many series", { x: [1], series: Array.from({ length: 9 }, () => ({ name: "a", values: [1] })) }],
    ["too many points", { x: Array.from({ length: 5001 }, (_, at) => at), series }],
    ["an unknown kind", { kind: "pie", x: [1, 2, 3], series }],
    ["other lengths", { x: [1, 2], series }],
    ["values that are texts", { x: [1], series: [{ name: "a", values: ["1"] }] }],
    ["points of several types", { x: [1, "2", 3], series }],
    ["points that are no numbers", { x: [1, null, 3], series }],
    ["no x axis", { series }],
  ])("is none for %s", (_, data) => {
    expect(readChart(data)).toBeUndefined();
  });
});
