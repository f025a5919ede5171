import { expect, it, vi } from "vitest";
import type uPlot from "uplot";
import { toPlotData, toPlotOptions } from "./chart-options.ts";
import { readChart } from "./read-chart.ts";
import type { Chart } from "./read-chart.ts";

const colours = { text: "#111111", line: "#eeeeee", font: "12px serif", series: ["#aa0000", "#00aa00"] };

function chartOf(data: object): Chart {
  const chart = readChart({ series: [{ name: "Oslo", values: [1, 2, 4] }], x: [1, 2, 3], ...data });
  if (chart === undefined) throw new Error("This is no chart.");
  return chart;
}

const optionsOf = (data: object, onPoint: (at: number | null) => void = () => {}) =>
  toPlotOptions(chartOf(data), { width: 300, colours, onPoint });

/** Returns the texts at points of the x axis. */
function textsAlong(data: object, splits: number[]): unknown {
  const values = optionsOf(data).axes?.[0]?.values as (plot: unknown, splits: number[]) => string[];
  return values({}, splits);
}

it("gives the points, and the values of each series", () => {
  expect(toPlotData(chartOf({}))).toEqual([
    [1, 2, 3],
    [1, 2, 4],
  ]);
});

it("writes numbers, labels and times along the x axis", () => {
  expect(textsAlong({}, [1, 2.5])).toEqual(["1", "2.5"]);
  expect(textsAlong({ x: ["a label that is long", "b", "c"] }, [0, 1, 1.5])).toEqual(["a label that …", "b", ""]);
  const [first, last] = ["2026-01-01", "2026-01-03"].map((day) => Date.parse(day) / 1000 + 43_200);
  expect(textsAlong({ x: ["2026-01-01", "2026-01-02", "2026-01-04"] }, [first ?? 0, last ?? 0])).toEqual([
    "Jan 1",
    "Jan 3",
  ]);
  expect(textsAlong({ x: ["2020-01-01", "2022-01-02", "2026-01-04"] }, [first ?? 0])).toEqual(["Jan 2026"]);
  const hours = { x: ["2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z"] };
  expect(textsAlong(hours, [first ?? 0])).toEqual([expect.stringMatching(/^\d{1,2}:00\s[AP]M$/)]);
});

it("tells series apart by their colours and by their dashes", () => {
  const two = { series: [1, 2].map((at) => ({ name: `${at}`, values: [at, at, at] })) };
  expect(optionsOf(two).series.slice(1)).toMatchObject([{ stroke: "#aa0000" }, { stroke: "#00aa00", dash: [8, 4] }]);
});

it("leaves room beside bars, and begins them at zero", () => {
  const scales = optionsOf({ kind: "bar", x: ["a", "b", "c"] }).scales as Record<string, uPlot.Scale>;
  expect(scales["x"]?.range).toEqual([-0.5, 2.5]);
  expect(scales["y"]?.range).toMatchObject({ min: { soft: 0 } });
});

it("draws points alone if the chart asks for them, and fills areas", () => {
  const [, points] = optionsOf({ kind: "points" }).series;
  expect(points).toMatchObject({ width: 0, points: { show: true } });
  expect(optionsOf({ kind: "area" }).series[1]?.fill).toContain("18%");
});

it("tells which point is under the pointer", () => {
  const onPoint = vi.fn<(at: number | null) => void>();
  const [tell] = (optionsOf({}, onPoint).hooks?.setCursor ?? []) as ((plot: unknown) => void)[];
  tell?.({ cursor: { idx: 2 } });
  tell?.({ cursor: {} });
  expect(onPoint.mock.calls).toEqual([[2], [null]]);
});
