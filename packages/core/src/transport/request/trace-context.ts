import type { TraceContext } from "../../base/telemetry/telemetry.ts";

/** Version 00 of W3C Trace Context. The ids of a context are never all zeros. */
const traceparentForm = /^[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** The length that every receiver of a `tracestate` must accept, in characters. Longer ones are dropped. */
const longestState = 512;

/**
 * Returns the trace context that a client has sent, in headers or in the metadata of a message; undefined if it has
 * sent none, or a malformed one.
 */
export function readTraceContext(sent: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const { traceparent, tracestate } = sent;
  if (typeof traceparent !== "string" || !traceparentForm.test(traceparent)) return undefined;
  const isState = typeof tracestate === "string" && tracestate !== "" && tracestate.length <= longestState;
  return { traceparent, ...(isState && { tracestate }) };
}
