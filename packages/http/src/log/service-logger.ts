import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";

/**
 * Makes the logger that the router and `errorHandler` use when their options name none: it writes warnings and errors
 * to the standard error stream.
 */
export function createServiceLogger(): Logger {
  return createLogger({ level: "warn", prefix: "http" });
}
