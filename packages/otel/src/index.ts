export { createTelemetry } from "./create-telemetry.ts";
export type { TelemetryOptions } from "./create-telemetry.ts";
