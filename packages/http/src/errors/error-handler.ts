import type { Logger } from "@troupe/core";
import { loggerOption, optional, readOptions } from "@troupe/core/kit";
import type { ErrorRequestHandler, NextFunction, Request, Response } from "express";
import { requestIdOf } from "../exchange/request-id.ts";
import { createServiceLogger } from "../log/service-logger.ts";
import { sendFailure } from "./send-failure.ts";

// Express knows an error handler by its four parameters.
// oxlint-disable max-params -- see above

/** Options of {@link errorHandler}. */
export type ErrorHandlerOptions = {
  /** Receives failures of the service itself. @default warnings and errors, on the standard error stream */
  logger?: Logger | undefined;
};

/**
 * An Express error handler for the host's own routes, mounted as it is or called with options: it answers errors, also
 * those of Express, body parsers and `http-errors`, with the same JSON and statuses as the router. Mount it after the
 * router and everything else.
 */
export function errorHandler(options?: ErrorHandlerOptions): ErrorRequestHandler;
/** Answers an error with the default options, as Express calls an error handler that is mounted as it is. */
export function errorHandler(error: unknown, request: Request, response: Response, next: NextFunction): void;
/** Acts on an error if it is called as Express calls a handler, by its four parameters; else makes the handler. */
export function errorHandler(
  first?: unknown,
  request?: Request,
  response?: Response,
  next?: NextFunction,
): ErrorRequestHandler | void {
  if (request === undefined || response === undefined || next === undefined) return makeErrorHandler(first ?? {});
  mountedHandler ??= makeErrorHandler({});
  return void mountedHandler(first, request, response, next);
}

// Module state, as no caller could keep it: the handler of all that is mounted as it is, made for its first error.
let mountedHandler: ErrorRequestHandler | undefined;

function makeErrorHandler(options: unknown): ErrorRequestHandler {
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
  return (error: unknown, request, response, _next) => {
    sendFailure(error, { request, response, requestId: requestIdOf(request, response), logger });
  };
}
