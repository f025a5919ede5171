import { metrics, trace } from "@opentelemetry/api";
import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import { booleanOption, integerOption, methodsOption, optional, readOptions } from "@troupe/core/kit";
import type { Telemetry } from "@troupe/core";
import type { OptionTable } from "@troupe/core/kit";
import { Instruments } from "./instruments.ts";
import { conventions } from "./names.ts";
import { OtelTelemetry } from "./otel-telemetry.ts";

/** Options of {@link createTelemetry}. */
export type TelemetryOptions = {
  /**
   * Records what users, models and tools say: instructions, messages, arguments, results and documents. The caller's API
   * keys are masked in it, but nothing else that is secret. @default false
   */
  captureContent?: boolean | undefined;
  /** Largest size of one attribute with content, in characters. Older messages are left out first. @default 32_768 */
  maxContentLength?: number | undefined;
  /**
   * True if the trace context that a client sends (`traceparent`) becomes the parent of its run, as behind a gateway of
   * your own. Otherwise the run is linked to it. @default false
   */
  trustCallers?: boolean | undefined;
  /** Also writes attribute names of before September 2026, for backends that read no newer ones. @default false */
  compat?: boolean | undefined;
  /** The provider of tracers. @default the one that the SDK of the host has registered */
  tracerProvider?: TracerProvider | undefined;
  /** The provider of meters. @default the one that the SDK of the host has registered */
  meterProvider?: MeterProvider | undefined;
};

const optionTable = {
  captureContent: optional(booleanOption, false),
  maxContentLength: optional(integerOption(256), 32_768),
  trustCallers: optional(booleanOption, false),
  compat: optional(booleanOption, false),
  tracerProvider: optional(methodsOption<TracerProvider>("a tracer provider", "getTracer")),
  meterProvider: optional(methodsOption<MeterProvider>("a meter provider", "getMeter")),
} satisfies OptionTable<TelemetryOptions>;

/**
 * Makes the telemetry of a service, or of agents, teams and workflows in a program without one: the option `telemetry`
 * of both. It writes to the SDK of OpenTelemetry that the host has started before; without one it records nothing.
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const read = readOptions(optionTable, options, { owner: "createTelemetry" });
  const { captureContent, maxContentLength, trustCallers, compat } = read;
  const { tracerProvider = trace.getTracerProvider(), meterProvider = metrics.getMeterProvider() } = read;
  const { scope, schemaUrl, version } = conventions;
  return new OtelTelemetry({
    tracer: tracerProvider.getTracer(scope, version, { schemaUrl }),
    instruments: new Instruments(meterProvider.getMeter(scope, version, { schemaUrl })),
    rules: { compat },
    trustsCallers: trustCallers,
    maxContentLength: captureContent ? maxContentLength : undefined,
  });
}
