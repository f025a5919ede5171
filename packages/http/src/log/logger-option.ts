import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { methods, optional } from "@troupe/core/adapter";

/**
 * The check of the option `logger`, shared by all functions of this package that take one: a logger with the methods of
 * core's, or undefined. Anything else throws `invalid_config`.
 */
export const loggerOption = optional(
  methods<Logger>("a logger such as createLogger({ level })", "debug", "info", "warn", "error", "child", "withSecrets"),
);

/**
 * Makes the logger that the router and `errorHandler` use when their options name none: it writes warnings and errors
 * to the standard error stream.
 */
export function createServiceLogger(): Logger {
  return createLogger({ level: "warn", prefix: "http" });
}
