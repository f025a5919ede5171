import { cutText } from "../ui/cut-text.ts";
import { isObject, readJson } from "../ui/format.ts";
import { plainLine } from "../ui/unseen.ts";

/** A chart that can be drawn: its points along the x axis, and the values of each series at these points. */
export type Chart = {
  readonly kind: "line" | "area" | "bar" | "points";
  readonly title: string | undefined;
  readonly xLabel: string | undefined;
  readonly unit: string | undefined;
  /** The x axis: numbers, times in seconds, or places of labels. */
  readonly axis: "number" | "time" | "label";
  /** The positions of the points, in order. */
  readonly x: readonly number[];
  /** The texts of the points, in order. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
};

/** The values of a series. `null` for a point without a value. */
type Series = { readonly name: string; readonly values: readonly (number | null)[] };

/** Largest number of points, of series, and of characters of a text in a chart. */
const [mostPoints, mostSeries, longestText] = [5000, 8, 80];
const kinds = ["line", "area", "bar", "points"] as const;
const dateForm = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Reads the data of an artifact as a chart. Returns undefined for anything else. */
export function readChart(given: unknown): Chart | undefined {
  const data = typeof given === "string" ? readJson(given) : given;
  if (!isObject(data)) return undefined;
  const { kind = "line", x } = data;
  const known = kinds.find((each) => each === kind);
  const axis = Array.isArray(x) ? readAxis(x) : undefined;
  if (known === undefined || axis === undefined) return undefined;
  const series = readAllSeries(data["series"], axis.x.length);
  if (series === undefined) return undefined;
  const texts = { title: textOf(data["title"]), xLabel: textOf(data["xLabel"]), unit: textOf(data["unit"]) };
  return { kind: known, ...texts, ...inOrder(axis, series) };
}

function readAllSeries(given: unknown, length: number): readonly Series[] | undefined {
  if (!Array.isArray(given) || given.length === 0 || given.length > mostSeries) return undefined;
  const series = given.map((each: unknown) => readSeries(each, length));
  return series.every((each) => each !== undefined) ? series : undefined;
}

type Axis = Pick<Chart, "axis" | "x" | "labels">;

function readAxis(x: readonly unknown[]): Axis | undefined {
  if (x.length === 0 || x.length > mostPoints) return undefined;
  if (x.every((each) => typeof each === "number" && Number.isFinite(each))) {
    return { axis: "number", x: x as readonly number[], labels: x.map(String) };
  }
  if (!x.every((each) => typeof each === "string")) return undefined;
  const labels = x.map((each) => textOf(each) ?? "");
  const times = x.map((each) => (dateForm.test(each) ? Date.parse(each) / 1000 : Number.NaN));
  if (times.every((time) => !Number.isNaN(time))) return { axis: "time", x: times, labels };
  return { axis: "label", x: x.map((_, at) => at), labels };
}

function readSeries(given: unknown, length: number): Series | undefined {
  if (!isObject(given)) return undefined;
  const { name, values } = given;
  if (!Array.isArray(values) || values.length !== length) return undefined;
  if (!values.every((each) => each === null || (typeof each === "number" && Number.isFinite(each)))) return undefined;
  return { name: textOf(name) ?? "", values: values as readonly (number | null)[] };
}

/** Sorts the points along the x axis. Labels stay in their order. */
function inOrder(axis: Axis, series: readonly Series[]): Axis & { readonly series: readonly Series[] } {
  const order = axis.x.map((_, at) => at).toSorted((one, other) => (axis.x[one] ?? 0) - (axis.x[other] ?? 0));
  const sorted = <Item>(items: readonly Item[]): Item[] => order.map((at) => items[at] as Item);
  return {
    axis: axis.axis,
    x: sorted(axis.x),
    labels: sorted(axis.labels),
    series: series.map(({ name, values }) => ({ name, values: sorted(values) })),
  };
}

/** Returns a text in one line, without characters that cannot be seen; undefined for anything else. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? cutText(plainLine(cutText(value, 4 * longestText)), longestText, "…") : undefined;
}
