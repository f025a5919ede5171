import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Recorder } from "../test/recorder.ts";
import { least, measureAll, over, playAll, run, usage } from "../test/scenes.ts";
import type { TelemetryOptions } from "./create-telemetry.ts";

/** Writes a span down: what a backend gets of it, but for ids and times. */
function outline({ name, kind, attributes, status, events, links, parentSpanContext }: ReadableSpan): string {
  const { code, message } = status;
  const failed = code === SpanStatusCode.UNSET ? [] : [`${SpanStatusCode[code]} ${message}`];
  const written = events.map((event) => `  event ${event.name} ${JSON.stringify(event.attributes)}`);
  const facts = [
    SpanKind[kind],
    ...failed,
    `${links.length} links`,
    parentSpanContext === undefined ? "root" : "child",
  ];
  const shown = Object.entries(attributes).map(([key, value]) => `  ${key} = ${JSON.stringify(value)}`);
  return [`${name} (${facts.join(", ")})`, ...shown, ...written].join("\n");
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

// What a backend reads. If a change is meant, write the outlines anew by `vitest --update`.
describe("the telemetry of all operations", () => {
  it.each<[string, TelemetryOptions]>([
    ["plain", {}],
    ["full", { captureContent: true, compat: true }],
  ])("has these spans with the options: %s", async (file, options) => {
    const recorder = new Recorder(options);
    playAll(recorder);
    const outer = recorder.telemetry.begin("run", { ...run, name: "outer", sessionId: "s" });
    outer.run(() => playAll(recorder));
    outer.end(over);
    const spans = (await recorder.spans()).map(outline);

    await expect(`${spans.join("\n\n")}\n`).toMatchFileSnapshot(`../test/outlines/spans-${file}.txt`);
  });

  it("has these metrics", async () => {
    const recorder = new Recorder();
    const { telemetry } = recorder;
    playAll(recorder);
    const outer = telemetry.begin("run", { ...run, name: "outer" });
    outer.run(() => {
      playAll(recorder);
      playAll(recorder);
    });
    outer.end(over);
    const stop = measureAll(recorder);
    const [scope, ...others] = await recorder.collect();
    stop();
    const lines = (scope?.metrics ?? []).flatMap(({ descriptor, dataPoints }) => {
      // The SDK keeps the advice for histograms, but has no type for it.
      const { name, unit, description, advice } = descriptor as typeof descriptor & {
        readonly advice: { readonly explicitBucketBoundaries?: readonly number[] };
      };
      const bounds = advice.explicitBucketBoundaries;
      const points = dataPoints.map(({ attributes, value }) => {
        const shown = typeof value === "number" ? value : { sum: value.sum, count: value.count };
        return `  ${JSON.stringify(attributes)} ${JSON.stringify(shown)}`;
      });
      return [
        `${name} in ${unit}: ${description}${bounds === undefined ? "" : ` Up to ${bounds.join(" ")}`}`,
        ...points,
      ];
    });

    expect(others).toEqual([]);
    expect(scope?.scope).toEqual({
      name: "@troupe/otel",
      version: "0.1.0",
      schemaUrl: "https://opentelemetry.io/schemas/gen-ai/0.1.0",
    });
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/metrics.txt");
  });
});

describe("usage that belongs to no model call", () => {
  it("is added up on the active operation alone", async () => {
    const recorder = new Recorder();
    const { telemetry } = recorder;
    telemetry.addUsage(usage);
    const step = telemetry.begin("step", { name: "s", kind: "run" });
    step.run(() => {
      telemetry.addUsage(least);
      telemetry.addUsage(usage);
      telemetry.addUsage(usage);
    });
    step.end({});
    const [span] = await recorder.spans();

    expect(span?.attributes).toMatchObject({
      "gen_ai.usage.input_tokens": 3,
      "gen_ai.usage.output_tokens": 4,
      "gen_ai.usage.cache_read.input_tokens": 8,
      "gen_ai.usage.cache_write.input_tokens": 10,
      "gen_ai.usage.reasoning.output_tokens": 12,
    });
  });
});

describe("the time between the chunks of a model call", () => {
  it("is measured from each chunk to the next, and from its beginning to the first", async () => {
    const recorder = new Recorder();
    const model = { providerId: "google", modelId: "m" };
    for (const gapsMs of [
      [500, 250, 1000, 2000],
      [500, 125],
    ]) {
      const begun = { model, isStream: true, settings: {}, messages: () => [], tools: () => [] };
      const call = recorder.telemetry.begin("model", begun);
      for (const ms of gapsMs) {
        vi.advanceTimersByTime(ms);
        call.note({ type: "chunk" });
      }
      call.end({ usage });
    }

    expect(await recorder.metric("gen_ai.client.inference.time_per_output_chunk")).toMatchObject([
      { value: 3.375, count: 4 },
    ]);
    expect(await recorder.metric("gen_ai.client.inference.time_to_first_chunk")).toMatchObject([
      { value: 1, count: 2 },
    ]);
  });
});

describe("the metrics of this process", () => {
  it("have the delay of the event loop in seconds from the second collection on", async () => {
    const recorder = new Recorder();
    const names = ["p50", "p99", "max"].map((name) => `nodejs.eventloop.delay.${name}`);
    const read = async () => await Promise.all(names.map(async (name) => (await recorder.metric(name))[0]?.value));
    await recorder.collect();
    // The delay is sampled every 20 ms; without a sample it is 0.
    const first = (await recorder.metricNames()).filter((name) => name.startsWith("nodejs."));

    expect(first).toEqual(names.toSorted());
    for (const value of await read()) expect(value).toBeLessThan(60);
  });

  it("leave out a queue that cannot be read, and one that is no longer observed", async () => {
    const recorder = new Recorder();
    const stop = recorder.telemetry.observe("queue.depth", async () => await Promise.reject(new Error("No.")));
    recorder.telemetry.measure("stream", { by: 1 });
    expect(await recorder.metric("troupe.queue.depth")).toEqual([]);
    expect(await recorder.metric("troupe.streams.open")).toHaveLength(1);
    stop();
    let reads = 0;
    const read = async () => await Promise.resolve(++reads);
    const stopOther = recorder.telemetry.observe("queue.depth", read);
    expect(await recorder.metric("troupe.queue.depth")).toEqual([{ labels: {}, value: 1 }]);
    stopOther();
    await recorder.collect();
    expect(reads).toBe(1);
  });
});
