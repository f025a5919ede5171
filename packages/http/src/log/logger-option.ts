import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { methods, optional } from "@troupe/core/adapter";

/** Takes a logger, or none. */
export const loggerOption = optional(
  methods<Logger>("a logger such as createLogger({ level })", "debug", "info", "warn", "error", "child", "withSecrets"),
);

/** Makes the default logger for failures of the service: warnings and errors, on the standard error stream. */
export function createServiceLogger(): Logger {
  return createLogger({ level: "warn", prefix: "http" });
}
