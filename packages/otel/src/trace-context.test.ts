import { trace, createTraceState, ROOT_CONTEXT } from "@opentelemetry/api";
import { createRedactor } from "@troupe/core/kit";
import type { ContinuedTelemetry, Operations, TraceContext, ParentTraceContexts } from "@troupe/core/service";
import { describe, expect, it } from "vitest";
import { Recorder } from "../test/recorder.ts";
import { toSpanContext, toTraceContext } from "./trace-context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const contextOf = (digit: string): TraceContext => ({ traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` });
const begun: Operations["run"]["begin"] = {
  kind: "agent",
  name: "a",
  runId: "r",
  redact: createRedactor([]),
  input: () => "",
};
const over = {
  status: "completed",
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
  text: () => "",
} as const;

describe("a trace context", () => {
  it.each([
    ["00", 0, "00"],
    ["01", 1, "01"],
    ["02", 0, "00"],
    ["03", 1, "01"],
    ["ff", 1, "01"],
  ])("a trace context with the flags %s is read with %i and written with %s", (flags, traceFlags, written) => {
    const read = toSpanContext({ traceparent: `00-${traceId}-${spanId}-${flags}` });

    expect(read).toEqual({ traceId, spanId, traceFlags, isRemote: true });
    expect(toTraceContext(read)).toEqual({ traceparent: `00-${traceId}-${spanId}-${written}` });
  });

  it.each([
    [0, "00"],
    [1, "01"],
    [2, "00"],
    [3, "01"],
    [255, "01"],
  ])("a trace context of this process with the flags %i is written with %s", (traceFlags, written) => {
    const traceparent = `00-${traceId}-${spanId}-${written}`;
    expect(toTraceContext({ traceId, spanId, traceFlags })).toEqual({ traceparent });
  });

  it("keeps its state", () => {
    const given = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: "a=1,b=2" };

    expect(toTraceContext(toSpanContext(given))).toEqual(given);
    expect(toTraceContext({ traceId, spanId, traceFlags: 1, traceState: createTraceState("") })).toEqual({
      traceparent: given.traceparent,
    });
  });

  it.each([
    "",
    `00-${traceId}-${spanId}`,
    `0-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-x`,
    `x00-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}0-${spanId}-01`,
    `00-${traceId}-${spanId}0-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
  ])("a trace context that is malformed is none: %j", (traceparent) => {
    expect(toSpanContext({ traceparent })).toBeUndefined();
  });

  it("is not written without ids", () => {
    expect(toTraceContext(undefined)).toBeUndefined();
    expect(toTraceContext({ traceId: "0".repeat(32), spanId, traceFlags: 1 })).toBeUndefined();
  });
});

/** The operation whose place is looked at, and the span of the host that is active. */
type Placed = {
  readonly origin: ParentTraceContexts;
  readonly trust?: boolean;
  readonly within?: boolean;
  readonly begin?: (telemetry: ContinuedTelemetry) => { end: () => void };
};

const beginRun =
  (fields: Partial<Operations["run"]["begin"]> = {}) =>
  (telemetry: ContinuedTelemetry) => {
    const open = telemetry.begin("run", { ...begun, ...fields });
    return { end: () => open.end(over) };
  };
const beginStep = (telemetry: ContinuedTelemetry) => {
  const open = telemetry.begin("step", { name: "s", kind: "run" });
  return { end: () => open.end({}) };
};
const beginMcp = (telemetry: ContinuedTelemetry) => {
  const open = telemetry.begin("mcp", { side: "server", method: "m" });
  return { end: () => open.end({}) };
};
const beginAccept = (telemetry: ContinuedTelemetry) => {
  const open = telemetry.begin("accept", { kind: "agent", name: "a", runId: "r" });
  return { end: () => open.end({}) };
};

const [stored, previous, caller] = [contextOf("a"), contextOf("b"), contextOf("c")];
const broken = { traceparent: "00-x" };

describe("the place of an operation", () => {
  it.each<[string, Placed, string, string[]]>([
    ["nothing known", { origin: {} }, "none", []],
    ["a stored run", { origin: { stored } }, "a", []],
    ["a stored run with an attempt before", { origin: { stored, previous } }, "a", ["b"]],
    ["a stored run and a trusted caller", { origin: { stored, caller }, trust: true }, "a", []],
    ["a broken stored run", { origin: { stored: broken, previous } }, "none", []],
    ["a stored run with a broken attempt before", { origin: { stored, previous: broken } }, "a", []],
    ["a caller", { origin: { caller } }, "none", ["c"]],
    ["a trusted caller", { origin: { caller }, trust: true }, "c", []],
    ["a broken caller", { origin: { caller: broken }, trust: true }, "none", []],
    ["a caller within a span of the host", { origin: { caller }, within: true, trust: true }, "host", []],
    ["a stored run within a span of the host", { origin: { stored }, within: true }, "a", []],
    ["a run within another", { origin: { stored, caller }, begin: beginRun({ parentRunId: "p" }) }, "none", []],
    [
      "a run within another and a span",
      { origin: { stored }, within: true, begin: beginRun({ parentRunId: "p" }) },
      "host",
      [],
    ],
    ["facts after a run", { origin: { stored }, within: true, begin: beginRun({ kind: "facts" }) }, "none", ["host"]],
    ["a title after a run", { origin: { stored }, within: true, begin: beginRun({ kind: "title" }) }, "none", ["host"]],
    ["a title after nothing", { origin: { stored }, begin: beginRun({ kind: "title" }) }, "none", []],
    ["a step", { origin: { stored, caller }, begin: beginStep }, "none", []],
    ["a step within a span", { origin: { stored }, within: true, begin: beginStep }, "host", []],
    ["a request of MCP", { origin: { caller }, trust: true, begin: beginMcp }, "c", []],
    ["a run that is accepted", { origin: { caller }, begin: beginAccept }, "none", ["c"]],
  ])(
    "with %s is below %s",
    async (...[, { origin, trust = false, within = false, begin = beginRun() }, parent, links]) => {
      const recorder = new Recorder({ trustCallers: trust });
      const telemetry = recorder.telemetry.continueFrom(origin);
      // The host registers no context manager here, so a step of our own holds its span.
      const host = recorder.telemetry.begin("step", { name: "host", kind: "run" });
      if (within) host.run(() => begin(telemetry).end());
      else begin(telemetry).end();
      host.end({});
      const [span] = await recorder.spans();
      const hostId = host.context()?.traceparent.split("-")[2] ?? "";
      const nameOf = (id: string | undefined): string =>
        id === undefined ? "none" : id === hostId ? "host" : id.slice(0, 1);

      expect([
        nameOf(span?.parentSpanContext?.spanId),
        span?.links.map(({ context }) => nameOf(context.spanId)),
      ]).toEqual([parent, links]);
    },
  );
});

describe("the trace of a process", () => {
  it("is the headers and the log fields within an operation, and nothing outside", () => {
    const { telemetry } = new Recorder();
    const step = telemetry.begin("step", { name: "s", kind: "run" });
    const seen = step.run(() => ({ headers: telemetry.headers(), ...telemetry.logFields }));
    const [, traced, spanned] = step.context()?.traceparent.split("-") ?? [];

    expect(seen).toEqual({ headers: step.context(), trace_id: traced, span_id: spanned });
    expect(telemetry.headers()).toEqual({});
    expect({ ...telemetry.logFields }).toEqual({ trace_id: undefined, span_id: undefined });
    step.end({});
  });

  it("begins with its first run that has no parent", () => {
    const telemetry = new Recorder().telemetry.continueFrom({});
    expect(telemetry.begun).toBeUndefined();
    beginStep(telemetry).end();
    beginRun({ parentRunId: "p" })(telemetry).end();
    expect(telemetry.begun).toBeUndefined();
    const first = telemetry.begin("run", begun);
    const second = telemetry.begin("run", begun);

    expect(telemetry.begun).toEqual(first.context());
    expect(telemetry.begun).not.toEqual(second.context());
    expect(trace.getSpanContext(ROOT_CONTEXT)).toBeUndefined();
  });
});
