import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { TroupeError } from "@troupe/core";
import { createRedactor } from "@troupe/core/kit";
import type { OperationNote, Operations } from "@troupe/core/service";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Recorder } from "../test/recorder.ts";
import type { TelemetryOptions } from "./create-telemetry.ts";

/** One operation: how it begins, what happens in it, and how it ends. */
type Scene<Name extends keyof Operations> = {
  readonly begin: Operations[Name]["begin"];
  readonly end: Operations[Name]["end"];
  readonly notes?: readonly OperationNote[];
};

const usage = {
  promptTokens: 1,
  completionTokens: 2,
  totalTokens: 3,
  cachedTokens: 4,
  cacheWriteTokens: 5,
  reasoningTokens: 6,
};
const least = { promptTokens: 1, completionTokens: 0, totalTokens: 1 };
const error = new TroupeError("rate_limited", "secret");
const redact = createRedactor(["sk-key"]);
const run = { kind: "agent", name: "é", runId: "r", redact, input: () => "in sk-key" } as const;
const over = { status: "completed", usage, text: () => "out sk-key" } as const;
const model = { providerId: "google", modelId: "m" };
const call = { model, isStream: false, settings: {}, messages: () => [], tools: () => [] };
const said = {
  ...call,
  isStream: true,
  settings: {
    temperature: 0,
    topP: 0.5,
    maxTokens: 9,
    stop: ["x"],
    seed: 0,
    reasoningEffort: "low",
    outputType: "json" as const,
  },
  messages: () => [
    { role: "system" as const, content: "Be é." },
    { role: "user" as const, content: "in" },
    { role: "tool" as const, content: [{ type: "text" as const, text: "é" }], toolCallId: "c" },
  ],
  tools: () => [{ name: "t", description: "d", parameters: { type: "object" } }],
};
const answer = {
  text: "out",
  toolCalls: [{ id: "c", name: "t", arguments: { a: 1 } }],
  finishReason: "stop",
  responseId: "id",
  model: "m-1",
};
const tool = { name: "t", isKnown: true, toolCallId: "c", args: () => ({ a: "sk-key", password: "p" }) };
const invented = { ...tool, name: "x".repeat(65), isKnown: false };
const mcp = { side: "client", method: "tools/call" } as const;
const result = () => undefined;

const attempt = { type: "attempt", ...model, durationMs: 1500 } as const;
const notes: readonly OperationNote[] = [
  { ...attempt, attempt: 1, error: "timeout", usage },
  { ...attempt, attempt: 2 },
  { type: "wait", kind: "approval" },
  { type: "takeover", kind: "crash", attempt: 3 },
];

/** Every operation, with each fact that it may have, and without it. */
const scenes: { readonly [Name in keyof Operations]: readonly Scene<Name>[] } = {
  run: [
    { begin: run, end: over, notes },
    { begin: { ...run, kind: "team", parentRunId: "p", sessionId: "s", model, attempt: 2 }, end: over },
    { begin: { ...run, kind: "workflow" }, end: { ...over, status: "paused" } },
    { begin: { ...run, kind: "remote", parentRunId: "p" }, end: over },
    { begin: { ...run, kind: "facts" }, end: over },
    { begin: { ...run, kind: "title" }, end: over },
    { begin: run, end: { ...over, status: "error", error } },
    { begin: run, end: { ...over, status: "error", error: new Error("secret") } },
    { begin: run, end: { ...over, status: "cancelled", error, usage: least } },
  ],
  model: [
    { begin: call, end: { usage: least } },
    { begin: said, end: { usage, answer }, notes: [{ type: "first_chunk" }] },
    { begin: call, end: { usage, answer: { text: "", answeredBy: { providerId: "b", modelId: "n" } } } },
    { begin: call, end: { usage: least, error }, notes: [{ type: "first_chunk" }] },
    { begin: call, end: { usage: least, error, isCancelled: true } },
    { begin: { ...call, model: { providerId: "azure", modelId: "m" } }, end: { usage: least, isCancelled: true } },
  ],
  tool: [
    { begin: { ...tool, description: "d" }, end: { result: () => "out sk-key" } },
    { begin: invented, end: { result, failure: "No." } },
    { begin: tool, end: { result, error } },
    { begin: tool, end: { result, error, isPaused: true } },
    {
      begin: tool,
      end: {
        result: () => [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    },
  ],
  step: [
    { begin: { name: "é", kind: "agent" }, end: {} },
    { begin: { name: "é", kind: "run" }, end: { error: "thrown" } },
  ],
  memory: [
    { begin: { action: "search", store: "facts" }, end: { count: 0 } },
    { begin: { action: "upsert", store: "session" }, end: { error } },
  ],
  embeddings: [
    { begin: { model, count: 2 }, end: { dimensions: 3 } },
    { begin: { model: {}, count: 2 }, end: { error } },
  ],
  retrieval: [
    {
      begin: { source: "é", topK: 3, query: () => "in sk-key" },
      end: { documents: () => [{ id: "d", score: 0.5, content: "out" }] },
    },
    { begin: { source: "é", query: () => undefined }, end: { documents: () => [], error } },
  ],
  mcp: [
    { begin: mcp, end: {} },
    {
      begin: { ...mcp, side: "server", toolName: "t", requestId: "1", transport: "tcp", address: "h" },
      end: { isToolError: true, error },
    },
    { begin: { ...mcp, transport: "pipe" }, end: { error } },
  ],
  accept: [
    { begin: { kind: "agent", name: "é", runId: "r" }, end: {} },
    { begin: { kind: "agent", name: "é", runId: "r" }, end: { error } },
  ],
};

/** Plays an operation of a quarter of a second for itself and for each note. */
function play<Name extends keyof Operations>(recorder: Recorder, name: Name, scene: Scene<Name>): void {
  const operation = recorder.telemetry.begin(name, scene.begin);
  vi.advanceTimersByTime(250);
  for (const note of [...(scene.notes ?? []), ...(scene.notes ?? []).filter(({ type }) => type === "first_chunk")]) {
    operation.note(note);
    vi.advanceTimersByTime(250);
  }
  operation.end(scene.end);
  operation.end(scene.end);
}

function playAll(recorder: Recorder): void {
  for (const name of Object.keys(scenes) as (keyof Operations)[]) {
    for (const scene of scenes[name]) play(recorder, name, scene as Scene<typeof name>);
  }
}

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
    telemetry.measure("stream", { by: 1 });
    telemetry.measure("stream", { by: 1 });
    telemetry.measure("stream", { by: -1 });
    telemetry.measure("refusal", { reason: "full" });
    telemetry.measure("session.wait", { ms: 1500 });
    telemetry.measure("queue.wait", { ms: 2500 });
    const stop = telemetry.observe("queue.depth", async () => await Promise.resolve(7));
    const [scope, ...others] = await recorder.collect();
    stop();
    const lines = (scope?.metrics ?? []).flatMap(({ descriptor, dataPoints }) => {
      // The SDK keeps the advice for histograms, but has no type for it.
      const { name, unit, advice } = descriptor as typeof descriptor & {
        readonly advice: { readonly explicitBucketBoundaries?: readonly number[] };
      };
      const bounds = advice.explicitBucketBoundaries;
      const points = dataPoints.map(({ attributes, value }) => {
        const shown = typeof value === "number" ? value : { sum: value.sum, count: value.count };
        return `  ${JSON.stringify(attributes)} ${JSON.stringify(shown)}`;
      });
      return [`${name} in ${unit}${bounds === undefined ? "" : `, up to ${bounds.join(" ")}`}`, ...points];
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
