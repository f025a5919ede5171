import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { DataPoint, Histogram, ScopeMetrics } from "@opentelemetry/sdk-metrics";
import type { TokenUsage } from "@troupe/core";
import type { Telemetry } from "@troupe/core";
import { createTelemetry } from "@troupe/otel";
import type { TelemetryOptions } from "@troupe/otel";

/** The tokens of a usage that spans show. */
export type Tokens = Pick<TokenUsage, "promptTokens" | "completionTokens">;

/** The value of a metric for one set of labels: the sum of a counter, or the number of values in a histogram. */
export type Measured = { readonly labels: Record<string, unknown>; readonly value: number; readonly count?: number };

/** Telemetry of a test that registers nothing globally, and the spans and metrics that it has recorded. */
export class Recorder {
  readonly telemetry: Telemetry;
  readonly #exporter = new InMemorySpanExporter();
  readonly #provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: this.#exporter })] });
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #reader = new PeriodicExportingMetricReader({ exporter: this.#metrics, exportIntervalMillis: 2 ** 30 });
  readonly #meters = new MeterProvider({ readers: [this.#reader] });

  constructor(options: TelemetryOptions = {}) {
    this.telemetry = createTelemetry({ tracerProvider: this.#provider, meterProvider: this.#meters, ...options });
  }

  /** Returns all spans that have ended, in the order of their ends. */
  async spans(): Promise<ReadableSpan[]> {
    await this.#provider.forceFlush();
    return this.#exporter.getFinishedSpans();
  }

  /** Returns the tree of the spans of a trace by their names, each indented below its parent. */
  async tree(): Promise<string> {
    const spans = (await this.spans()).toSorted((one, other) => compareTimes(one.startTime, other.startTime));
    const ids = new Set(spans.map((span) => span.spanContext().spanId));
    const below = (parent: string | undefined, depth: number): string[] =>
      spans.flatMap((span) => {
        const own = span.parentSpanContext?.spanId;
        if ((own !== undefined && ids.has(own) ? own : undefined) !== parent) return [];
        return [`${"  ".repeat(depth)}${span.name}`, ...below(span.spanContext().spanId, depth + 1)];
      });
    return below(undefined, 0).join("\n");
  }

  /** Collects the metrics and returns all of them by their instrumentation scope. */
  async collect(): Promise<ScopeMetrics[]> {
    this.#metrics.reset();
    await this.#reader.forceFlush();
    return this.#metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
  }

  /** Makes a span of the host, within which a test runs something. */
  get tracer() {
    return this.#provider.getTracer("host");
  }

  /** Collects the metrics and returns the values of one. */
  async metric(name: string): Promise<Measured[]> {
    const found = (await this.collect())
      .flatMap(({ metrics }) => metrics)
      .find(({ descriptor }) => descriptor.name === name);
    return ((found?.dataPoints ?? []) as DataPoint<number | Histogram>[]).map(({ attributes, value }) =>
      typeof value === "number"
        ? { labels: attributes, value }
        : { labels: attributes, value: value.sum ?? 0, count: value.count },
    );
  }

  /** Returns the names of all metrics that have values. */
  async metricNames(): Promise<string[]> {
    const metrics = (await this.collect()).flatMap((each) => each.metrics);
    return metrics.map(({ descriptor }) => descriptor.name).toSorted();
  }
}

/** Returns the sum of the tokens on spans. */
export function tokensOf(spans: readonly Pick<ReadableSpan, "attributes">[]): Tokens {
  const sum = (name: string) =>
    spans.reduce((total, { attributes }) => total + ((attributes[name] as number | undefined) ?? 0), 0);
  return { promptTokens: sum("gen_ai.usage.input_tokens"), completionTokens: sum("gen_ai.usage.output_tokens") };
}

/** Returns the tokens of a usage that spans show. */
export function tokensIn({ promptTokens, completionTokens }: TokenUsage): Tokens {
  return { promptTokens, completionTokens };
}

function compareTimes([seconds, nanoseconds]: [number, number], [other, others]: [number, number]): number {
  return seconds - other || nanoseconds - others;
}
