import type { Logger } from "@troupe/core";
import { readOptions } from "@troupe/core/adapter";
import type { ErrorRequestHandler } from "express";
import { requestIdOf } from "../exchange/request-id.ts";
import { createServiceLogger, loggerOption } from "../log/logger-option.ts";
import { sendFailure } from "./send-failure.ts";

/** Options of {@link errorHandler}. */
export type ErrorHandlerOptions = {
  /** Receives failures of the service itself. @default warnings and errors, on the standard error stream */
  logger?: Logger;
};

/**
 * Makes an error handler for the host's own routes that answers as the router does. It knows the errors of Express, body
 * parsers and `http-errors`. Mount it after the router and everything else.
 */
export function errorHandler(options: ErrorHandlerOptions = {}): ErrorRequestHandler {
  const { logger = createServiceLogger() } = readOptions({ logger: loggerOption }, options, { owner: "errorHandler" });
  return createFailureHandler(logger);
}

/** Makes an error handler that answers every failure with the error body of the service. */
export function createFailureHandler(logger: Logger): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  // oxlint-disable-next-line max-params -- see above
  return (error: unknown, request, response, _next) => {
    sendFailure(error, { request, response, requestId: requestIdOf(request, response), logger });
  };
}
