import uPlot from "uplot";
import { locale } from "../strings/strings.ts";
import { cutText } from "../ui/cut-text.ts";
import type { Chart } from "./read-chart.ts";

/** The colours of a chart, as the browser has computed them for its scheme. */
export type ChartColours = {
  readonly text: string;
  readonly line: string;
  readonly font: string;
  readonly series: readonly string[];
};

/** The dashes of the lines of the series, so that colours alone do not tell them apart. */
const dashes: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [12, 4, 2, 4], [4, 2], [16, 4], [1, 4], [8, 2]];

/** The height of a chart in pixels. */
export const chartHeight = 260;

const longestLabel = 14;
const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 4, notation: "compact" });

/** Returns the data of a chart in the form of uPlot. */
export function toPlotData({ x, series }: Chart): uPlot.AlignedData {
  return [[...x], ...series.map(({ values }) => [...values])];
}

type PlotLook = {
  readonly width: number;
  readonly colours: ChartColours;
  readonly onPoint: (at: number | null) => void;
};

/** Returns the options with which uPlot draws a chart. */
export function toPlotOptions(chart: Chart, { width, colours, onPoint }: PlotLook): uPlot.Options {
  const { axis, kind, x } = chart;
  const stroke = { stroke: colours.text, font: colours.font, grid: { stroke: colours.line, width: 1 } };
  const ticks = { stroke: colours.line, width: 1, size: 5 };
  const isPadded = kind === "bar" || axis === "label";
  return {
    width,
    height: chartHeight,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: axis === "time", ...(isPadded && { range: paddedRange(x) }) },
      ...(kind === "bar" && { y: { range: { min: { soft: 0, mode: 1 }, max: { soft: 0, mode: 1, pad: 0.1 } } } }),
    },
    axes: [
      {
        ...stroke,
        ticks,
        ...xValues(chart),
        ...(chart.xLabel !== undefined && { label: chart.xLabel, labelFont: colours.font, labelSize: 22 }),
      },
      { ...stroke, ticks, size: 56, values: (_, splits) => splits.map((value) => numbers.format(value)) },
    ],
    series: [{}, ...chart.series.map((_, at) => toPlotSeries(chart, at, colours))],
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
  };
}

function toPlotSeries(chart: Chart, at: number, { series: all }: ChartColours): uPlot.Series {
  const stroke = all[at % all.length] ?? "";
  const { kind, series, x } = chart;
  if (kind === "bar" && series.length <= 2) {
    return { stroke, width: 2, fill: paler(stroke, 55), ...barsOf(at, series.length), points: { show: false } };
  }
  const points = { show: kind === "points" || x.length <= 40, size: 6, fill: stroke };
  if (kind === "points") return { stroke, width: 0, paths: () => null, points };
  const dash = at > 0 ? { dash: [...(dashes[at % dashes.length] ?? [])] } : {};
  return { stroke, width: 2, points, ...dash, ...(kind === "area" && { fill: paler(stroke, 18) }) };
}

function paler(colour: string, percent: number): string {
  return `color-mix(in srgb, ${colour} ${percent}%, transparent)`;
}

/** Returns the function that draws bars: those of two series stand beside each other. */
function barsOf(at: number, count: number): { paths?: uPlot.Series.PathBuilder } {
  const paths = uPlot.paths.bars?.(count === 1 ? { size: [0.6, 80] } : { size: [0.38, 40], align: at === 0 ? -1 : 1 });
  return paths === undefined ? {} : { paths };
}

/** Returns a range with half a step beside the first and the last point. */
function paddedRange(x: readonly number[]): uPlot.Range.MinMax {
  const [first = 0, last = 0] = [x.at(0), x.at(-1)];
  const half = x.length > 1 ? (last - first) / (x.length - 1) / 2 : 0.5;
  return [first - half, last + half];
}

function xValues({ axis, x, labels }: Chart): Partial<uPlot.Axis> {
  if (axis === "label") {
    const values = (_: uPlot, splits: number[]) => splits.map((at) => cutText(labels[at] ?? "", longestLabel, "…"));
    return { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], space: 90, values };
  }
  if (axis === "number") return { values: (_, splits) => splits.map((value) => numbers.format(value)) };
  const format = timeFormat((x.at(-1) ?? 0) - (x[0] ?? 0));
  return { space: 80, values: (_, splits) => splits.map((value) => format.format(value * 1000)) };
}

/** Returns the format for times along an axis of this many seconds. */
function timeFormat(seconds: number): Intl.DateTimeFormat {
  const day = 86_400;
  if (seconds < 2 * day) return new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
  if (seconds < 300 * day) return new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
  return new Intl.DateTimeFormat(locale, { month: "short", year: "numeric" });
}
