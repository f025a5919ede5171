import type { Logger } from "@troupe/core";
import { checkOptionNames } from "@troupe/core/adapter";
import type { ErrorRequestHandler } from "express";
import { createFailureHandler } from "./errors/create-failure-handler.ts";
import { readLogger } from "./read-logger.ts";

/** Who hears of failures of the service itself. */
export type ErrorHandlerOptions = {
  /** @default warnings and errors, on the standard error stream */
  logger?: Logger;
};

/**
 * Turns what went wrong in the host's own handlers into the error body that the router sends: to be mounted behind the
 * router and all else. It knows the errors of Express, of body parsers and of `http-errors`.
 */
export function errorHandler(options: ErrorHandlerOptions = {}): ErrorRequestHandler {
  checkOptionNames(options, ["logger"], "errorHandler");
  return createFailureHandler(readLogger(options.logger));
}
