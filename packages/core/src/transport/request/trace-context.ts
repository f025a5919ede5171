import type { TraceContext } from "../../base/telemetry/telemetry.ts";

/** The form of a `traceparent` in W3C Trace Context. The ids in it are never all zeros. */
const traceparentForm = /^[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/**
 * The maximum length of a `tracestate` in characters: every receiver must accept this length. Longer values are
 * dropped.
 */
const longestState = 512;

/** Returns the trace context in a client's headers or message metadata; undefined if it is missing or malformed. */
export function readTraceContext(sent: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const { traceparent, tracestate } = sent;
  if (typeof traceparent !== "string" || !traceparentForm.test(traceparent)) return undefined;
  const isState = typeof tracestate === "string" && tracestate !== "" && tracestate.length <= longestState;
  return { traceparent, ...(isState && { tracestate }) };
}
