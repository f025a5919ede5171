import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { wrongOption } from "@troupe/core/adapter";

const methods = ["debug", "info", "warn", "error", "child", "withSecrets"] as const;

/** Takes the logger of the options; without one, what goes wrong is told on the standard error stream. */
export function readLogger(logger: unknown): Logger {
  if (logger === undefined) return createLogger({ level: "warn", prefix: "http" });
  if (isLogger(logger)) return logger;
  throw wrongOption("logger", "a logger, like createLogger({ level })", logger);
}

function isLogger(value: unknown): value is Logger {
  if (typeof value !== "object" || value === null) return false;
  return methods.every((method) => typeof (value as Record<string, unknown>)[method] === "function");
}
