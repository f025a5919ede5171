import type { Logger } from "@troupe/core";
import { loggerOption, optional, readOptions } from "@troupe/core/adapter";
import type { ErrorRequestHandler } from "express";
import { requestIdOf } from "../exchange/request-id.ts";
import { createServiceLogger } from "../log/service-logger.ts";
import { sendFailure } from "./send-failure.ts";

/** Options of {@link errorHandler}. */
export type ErrorHandlerOptions = {
  /** Receives failures of the service itself. @default warnings and errors, on the standard error stream */
  logger?: Logger;
};

/**
 * Makes an Express error handler for the host's own routes: it answers errors, also those of Express, body parsers and
 * `http-errors`, with the same JSON and statuses as the router. Mount it after the router and everything else.
 */
export function errorHandler(options: ErrorHandlerOptions = {}): ErrorRequestHandler {
  const { logger = createServiceLogger() } = readOptions({ logger: optional(loggerOption) }, options, {
    owner: "errorHandler",
  });
  return createFailureHandler(logger);
}

/**
 * Makes the Express error handler of the router and of {@link errorHandler}: it logs failures of the service and
 * answers every error in the service's JSON form.
 */
export function createFailureHandler(logger: Logger): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  // oxlint-disable-next-line max-params -- see above
  return (error: unknown, request, response, _next) => {
    sendFailure(error, { request, response, requestId: requestIdOf(request, response), logger });
  };
}
