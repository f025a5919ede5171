import { createTraceState, isSpanContextValid } from "@opentelemetry/api";
import type { SpanContext } from "@opentelemetry/api";
import type { TraceContext } from "@troupe/core/service";

const form = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** Reads a W3C trace context; undefined if it is malformed. */
export function toSpanContext({ traceparent, tracestate }: TraceContext): SpanContext | undefined {
  const [, traceId = "", spanId = "", flags = ""] = form.exec(traceparent) ?? [];
  const read: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(read) ? read : undefined;
}

/**
 * Converts a span's context to W3C Trace Context. Returns undefined for a context without ids, which a missing SDK
 * causes.
 */
export function toTraceContext(given: SpanContext | undefined): TraceContext | undefined {
  if (given === undefined || !isSpanContextValid(given)) return undefined;
  const { traceId, spanId, traceFlags, traceState } = given;
  const tracestate = traceState?.serialize() ?? "";
  const traceparent = `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? "01" : "00"}`;
  return { traceparent, ...(tracestate !== "" && { tracestate }) };
}
