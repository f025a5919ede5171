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
import { metricNames } from "./names.ts";

type Name = keyof typeof metricNames;

const nanosecondsPerSecond = 1e9;

/** Histogram buckets in seconds, from a quick tool to a run of ten minutes, as the conventions advise. */
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 600];
/** Histogram buckets for the number of calls in one run. */
const calls = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55];

/** The instruments of all metrics. They cost nothing if the host has no metrics SDK. */
export class Instruments {
  readonly #meter: Meter;
  readonly inferenceDuration: Histogram;
  readonly inferenceFirstChunk: Histogram;
  readonly operationDuration: Histogram;
  readonly runDuration: Histogram;
  readonly runModelCalls: Histogram;
  readonly runToolCalls: Histogram;
  readonly toolDuration: Histogram;
  readonly mcpClientDuration: Histogram;
  readonly mcpServerDuration: Histogram;
  readonly queueWait: Histogram;
  readonly sessionWait: Histogram;
  readonly runs: Counter;
  readonly waits: Counter;
  readonly takeovers: Counter;
  readonly refusals: Counter;
  readonly openStreams: UpDownCounter;
  readonly #tokens: readonly (readonly [keyof TokenUsage, Counter])[];
  readonly #queueDepth: ObservableGauge;

  constructor(meter: Meter) {
    this.#meter = meter;
    const histogram = (name: Name, boundaries = seconds) =>
      meter.createHistogram(metricNames[name][0], {
        unit: metricNames[name][1],
        advice: { explicitBucketBoundaries: boundaries },
      });
    const counter = (name: Name) => meter.createCounter(metricNames[name][0], { unit: metricNames[name][1] });
    this.inferenceDuration = histogram("inferenceDuration");
    this.inferenceFirstChunk = histogram("inferenceFirstChunk");
    this.operationDuration = histogram("operationDuration");
    this.runDuration = histogram("runDuration");
    this.runModelCalls = histogram("runModelCalls", calls);
    this.runToolCalls = histogram("runToolCalls", calls);
    this.toolDuration = histogram("toolDuration");
    this.mcpClientDuration = histogram("mcpClientDuration");
    this.mcpServerDuration = histogram("mcpServerDuration");
    this.queueWait = histogram("queueWait");
    this.sessionWait = histogram("sessionWait");
    this.runs = counter("runs");
    this.waits = counter("waits");
    this.takeovers = counter("takeovers");
    this.refusals = counter("refusals");
    const [name, unit] = metricNames.openStreams;
    this.openStreams = meter.createUpDownCounter(name, { unit });
    this.#tokens = [
      ["promptTokens", counter("inputTokens")],
      ["completionTokens", counter("outputTokens")],
      ["cachedTokens", counter("cacheReadTokens")],
      ["cacheWriteTokens", counter("cacheWriteTokens")],
      ["reasoningTokens", counter("reasoningTokens")],
    ];
    this.#queueDepth = this.#gauge("queueDepth");
    this.#observeEventLoop();
  }

  /** Adds a usage to the token counters. Each kind of tokens (input, output, cached, …) has a counter of its own. */
  addTokens(usage: TokenUsage, labels: Attributes, context: Context): void {
    for (const [kind, counter] of this.#tokens) {
      const tokens = usage[kind];
      if (typeof tokens === "number" && tokens > 0) counter.add(tokens, labels, context);
    }
  }

  /** Observes the depth of a queue whenever metrics are collected. Returns the function that stops the observation. */
  observeQueue(read: () => Promise<number>): () => void {
    const observe: Parameters<ObservableGauge["addCallback"]>[0] = async (result) => {
      // An unavailable queue must not fail the collection of the other metrics.
      const depth = await read().catch(() => undefined);
      if (depth !== undefined) result.observe(depth);
    };
    this.#queueDepth.addCallback(observe);
    return () => this.#queueDepth.removeCallback(observe);
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
    const [name, unit] = metricNames[key];
    return this.#meter.createObservableGauge(name, { unit });
  }
}
