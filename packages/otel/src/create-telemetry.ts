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
   * True to record the content of calls: instructions, messages, arguments, results and documents. The caller's
   * API keys and fields with the names of secrets are masked in it; other secrets are not. @default false
   */
  captureContent?: boolean | undefined;
  /**
   * Largest size of one attribute with content, in characters. The oldest messages are dropped first. @default 32_768
   */
  maxContentLength?: number | undefined;
  /**
   * True if the trace context of a request (`traceparent`) becomes the parent of its run, as behind your own gateway.
   * Otherwise the run only links to it. @default false
   */
  trustCallers?: boolean | undefined;
  /**
   * True to also write the attribute names from before September 2026, for backends that do not read the newer names.
   * @default false
   */
  compat?: boolean | undefined;
  /** The provider of tracers. @default the provider registered with the OpenTelemetry API */
  tracerProvider?: TracerProvider | undefined;
  /** The provider of meters. @default the provider registered with the OpenTelemetry API */
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
 * Makes the telemetry of a service or, in a program without a service, of agents, teams and workflows: the value of
 * their option `telemetry`. It records through the OpenTelemetry SDK that the host has started before, and records
 * nothing without an SDK.
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
