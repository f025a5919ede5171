import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComponentChildren, RefObject } from "preact";
import uPlot from "uplot";
import { TableView } from "../ui/table-view.tsx";
import { formatCount } from "../ui/format.ts";
import { strings } from "../strings/strings.ts";
import { chartHeight, toPlotData, toPlotOptions } from "./chart-options.ts";
import type { ChartColours } from "./chart-options.ts";
import { readChart } from "./read-chart.ts";
import type { Chart } from "./read-chart.ts";

type ReadProps = { readonly data: unknown; readonly name: string; readonly otherwise: ComponentChildren };

/** Draws the data of an artifact as a chart. Data that is no chart is shown as it is otherwise. */
export function ReadAndDraw({ data, name, otherwise }: ReadProps) {
  const chart = useMemo(() => readChart(data), [data]);
  return chart === undefined ? otherwise : <ChartView chart={chart} name={name} />;
}

/** A chart, the names of its series with the values at the pointer, and all its values as a table. */
function ChartView({ chart, name }: { chart: Chart; name: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [point, setPoint] = useState<number | null>(null);
  usePlot(chart, place, setPoint);
  const { title, series, labels, unit } = chart;
  const shown = title ?? name;
  return (
    <div class="chart">
      {title !== undefined && <p class="chart-title">{title}</p>}
      <div
        ref={place}
        class="chart-plot"
        role="img"
        aria-label={strings.charts.label(shown, series.map((each) => each.name).join(", "))}
        style={{ minHeight: `${chartHeight}px` }}
      />
      <ul class="chart-legend">
        {series.map((each, at) => (
          <li key={at}>
            <span class={`chart-swatch chart-${at}`} />
            {each.name}
            {point !== null && <span class="muted">{valueAt(each.values[point], unit)}</span>}
          </li>
        ))}
        {point !== null && <li class="muted">{labels[point]}</li>}
      </ul>
      <details>
        <summary>{strings.charts.asTable}</summary>
        <TableView name={shown} table={toTable(chart)} />
      </details>
    </div>
  );
}

function valueAt(value: number | null | undefined, unit = ""): string {
  return typeof value === "number" ? `${formatCount(value)}${unit === "" ? "" : ` ${unit}`}` : "–";
}

function toTable({ xLabel = strings.charts.point, labels, series, unit }: Chart) {
  const head = [xLabel, ...series.map(({ name }) => (unit === undefined ? name : `${name} (${unit})`))];
  const rows = labels.map((label, at) => [label, ...series.map(({ values }) => String(values[at] ?? ""))]);
  return { head, rows };
}

/** Draws the chart, and draws it again in another width or another scheme. */
function usePlot(chart: Chart, place: RefObject<HTMLDivElement | null>, onPoint: (at: number | null) => void): void {
  const scheme = useScheme();
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const look = { width: element.clientWidth, colours: coloursIn(element), onPoint };
    const plot = new uPlot(toPlotOptions(chart, look), toPlotData(chart), element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: chartHeight }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [chart, scheme]);
}

/** Returns a number that changes with the scheme of the device, and with the scheme that the visitor has chosen. */
function useScheme(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const change = () => setCount((before) => before + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", change);
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
    return () => {
      dark.removeEventListener("change", change);
      observer.disconnect();
    };
  }, []);
  return count;
}

/** Reads the colours of the page in its scheme. A canvas does not know the colours of a style sheet. */
function coloursIn(element: HTMLElement): ChartColours {
  const probe = document.createElement("span");
  element.append(probe);
  const colourOf = (name: string): string => {
    probe.className = name;
    return getComputedStyle(probe).color;
  };
  const { fontFamily } = getComputedStyle(element);
  const series = Array.from({ length: 8 }, (_, at) => colourOf(`chart-${at}`));
  const colours = { text: colourOf("chart-text"), line: colourOf("chart-line"), font: `12px ${fontFamily}`, series };
  probe.remove();
  return colours;
}
