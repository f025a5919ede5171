import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { loggerOption, optional, readOptions } from "@troupe/core/kit";
import type { ErrorRequestHandler, NextFunction, Request, Response } from "express";
import { NodeExchange } from "@troupe/core/transport";

// Express knows an error handler by its four parameters.
// oxlint-disable max-params -- see above

/** Options of {@link errorHandler}. */
export type ErrorHandlerOptions = {
  /** Receives failures of the service itself. @default warnings and errors on standard error */
  logger?: Logger | undefined;
};

/**
 * An Express error handler for the host's own routes, mounted directly or called with options. It answers all errors,
 * including those of Express, body parsers and `http-errors`, with the same JSON and statuses as the router. Mount it
 * last.
 */
export function errorHandler(options?: ErrorHandlerOptions): ErrorRequestHandler;
/** Answers an error with the default options. Express calls this overload if the handler is mounted directly. */
export function errorHandler(error: unknown, request: Request, response: Response, next: NextFunction): void;
/** Answers an error if it gets the four arguments of an Express error handler; otherwise makes the handler. */
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

// Module state, because a handler that is mounted directly cannot keep it elsewhere. Made for the first error.
let mountedHandler: ErrorRequestHandler | undefined;

function makeErrorHandler(options: unknown): ErrorRequestHandler {
  const read = readOptions({ logger: optional(loggerOption) }, options, { owner: "errorHandler" });
  const { logger = createLogger({ level: "warn", prefix: "http" }) } = read;
  return (error: unknown, request, response, _next) => {
    new NodeExchange(request, response, logger).fail(error);
  };
}
