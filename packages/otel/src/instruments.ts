import type {
  Attributes,
  Context,
  Counter,
  Histogram,
  Meter,
  ObservableGauge,
  UpDownCounter,
} from "@opentelemetry/api";
import type * as PerfHooks from "node:perf_hooks";
import type { TokenUsage } from "@troupe/core";
import type { GaugeValues } from "@troupe/core/service";
import { metricDefinitions } from "./names.ts";

type Name = keyof typeof metricDefinitions;
type ObservedName = keyof GaugeValues;

const nanosecondsPerSecond = 1e9;

/** Histogram buckets in seconds, from a quick tool to a run of ten minutes, as the conventions advise. */
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 600];
/** Histogram buckets in seconds for the time between two chunks. */
const chunkSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2.5, 5];
/** Histogram buckets in seconds for MCP sessions, as the conventions advise. */
const sessionSeconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Histogram buckets for the number of calls in one run. */
const calls = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55];

/** The instruments of all metrics. They cost nothing if the host has no metrics SDK. */
export class Instruments {
  readonly #meter: Meter;
  readonly inferenceDuration: Histogram;
  readonly inferenceFirstChunk: Histogram;
  readonly inferencePerChunk: Histogram;
  readonly operationDuration: Histogram;
  readonly runDuration: Histogram;
  readonly runModelCalls: Histogram;
  readonly runToolCalls: Histogram;
  readonly toolDuration: Histogram;
  readonly mcpClientDuration: Histogram;
  readonly mcpServerDuration: Histogram;
  readonly mcpClientSession: Histogram;
  readonly mcpServerSession: Histogram;
  readonly queueWait: Histogram;
  readonly sessionWait: Histogram;
  readonly runs: Counter;
  readonly waits: Counter;
  readonly takeovers: Counter;
  readonly refusals: Counter;
  readonly openStreams: UpDownCounter;
  readonly #tokens: readonly (readonly [keyof TokenUsage, Counter])[];
  readonly #observed: Readonly<Record<ObservedName, ObservableGauge>>;

  constructor(meter: Meter) {
    this.#meter = meter;
    const histogram = (key: Name, boundaries = seconds) => {
      const { name, ...about } = metricDefinitions[key];
      return meter.createHistogram(name, { ...about, advice: { explicitBucketBoundaries: boundaries } });
    };
    const counter = (key: Name) => {
      const { name, ...about } = metricDefinitions[key];
      return meter.createCounter(name, about);
    };
    this.inferenceDuration = histogram("inferenceDuration");
    this.inferenceFirstChunk = histogram("inferenceFirstChunk");
    this.inferencePerChunk = histogram("inferencePerChunk", chunkSeconds);
    this.operationDuration = histogram("operationDuration");
    this.runDuration = histogram("runDuration");
    this.runModelCalls = histogram("runModelCalls", calls);
    this.runToolCalls = histogram("runToolCalls", calls);
    this.toolDuration = histogram("toolDuration");
    this.mcpClientDuration = histogram("mcpClientDuration");
    this.mcpServerDuration = histogram("mcpServerDuration");
    this.mcpClientSession = histogram("mcpClientSession", sessionSeconds);
    this.mcpServerSession = histogram("mcpServerSession", sessionSeconds);
    this.queueWait = histogram("queueWait");
    this.sessionWait = histogram("sessionWait");
    this.runs = counter("runs");
    this.waits = counter("waits");
    this.takeovers = counter("takeovers");
    this.refusals = counter("refusals");
    const { name, ...about } = metricDefinitions.openStreams;
    this.openStreams = meter.createUpDownCounter(name, about);
    this.#tokens = [
      ["promptTokens", counter("inputTokens")],
      ["completionTokens", counter("outputTokens")],
      ["cachedTokens", counter("cacheReadTokens")],
      ["cacheWriteTokens", counter("cacheWriteTokens")],
      ["reasoningTokens", counter("reasoningTokens")],
    ];
    this.#observed = { "queue.depth": this.#gauge("queueDepth"), "queue.age": this.#gauge("queueAge") };
    this.#observeEventLoop();
  }

  /** Adds a usage to the token counters. Each kind of tokens (input, output, cached, …) has a counter of its own. */
  addTokens(usage: TokenUsage, labels: Attributes, context: Context): void {
    for (const [kind, counter] of this.#tokens) {
      const tokens = usage[kind];
      if (typeof tokens === "number" && tokens > 0) counter.add(tokens, labels, context);
    }
  }

  /** Observes a value whenever metrics are collected. Returns the function that stops the observation. */
  observe(name: ObservedName, read: () => Promise<number | undefined>): () => void {
    const gauge = this.#observed[name];
    const observe: Parameters<ObservableGauge["addCallback"]>[0] = async (result) => {
      // An unavailable queue must not fail the collection of the other metrics.
      const value = await read().catch(() => undefined);
      if (value !== undefined) result.observe(value);
    };
    gauge.addCallback(observe);
    return () => gauge.removeCallback(observe);
  }

  /** Measures the delay of the event loop, starting with the first collection of metrics. */
  #observeEventLoop(): void {
    let delay: ReturnType<typeof PerfHooks.monitorEventLoopDelay> | undefined;
    const gauges = [this.#gauge("eventLoopP50"), this.#gauge("eventLoopP99"), this.#gauge("eventLoopMax")] as const;
    this.#meter.addBatchObservableCallback(
      (result) => {
        if (delay === undefined) {
          delay = process.getBuiltinModule("node:perf_hooks").monitorEventLoopDelay({ resolution: 20 });
          delay.enable();
          return;
        }
        const values = [delay.percentile(50), delay.percentile(99), delay.max];
        for (const [index, gauge] of gauges.entries())
          result.observe(gauge, (values[index] ?? 0) / nanosecondsPerSecond);
        delay.reset();
      },
      [...gauges],
    );
  }

  #gauge(key: Name): ObservableGauge {
    const { name, ...about } = metricDefinitions[key];
    return this.#meter.createObservableGauge(name, about);
  }
}
