import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { cutText, elapsedMs, loggerOption, optional, readOptions } from "@troupe/core/kit";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { requestIdOf } from "@troupe/core/transport";
import { requestRecordOf } from "@troupe/core/transport";

/** Options of {@link requestLogger}. */
export type RequestLoggerOptions = {
  /**
   * Receives one line per request at level info. @default writes to standard error: text at a terminal, JSON elsewhere
   */
  logger?: Logger | undefined;
};

/** The maximum number of characters that are logged of a path outside the router. */
const longestPath = 200;

/**
 * A middleware that logs each request in one line when it has ended. The line has method, path, runnable, status,
 * duration, tokens, and the ids of request and run. Mount it directly or call it with options, before everything
 * else. It does not log content, query, session id, or headers other than the request id.
 */
export function requestLogger(options?: RequestLoggerOptions): RequestHandler;
/** Logs a request with the default options. Express calls this overload if the middleware is mounted directly. */
export function requestLogger(request: Request, response: Response, next: NextFunction): void;
/** Logs a request if it gets the arguments of an Express middleware; otherwise makes the middleware. */
export function requestLogger(first?: unknown, response?: Response, next?: NextFunction): RequestHandler | void {
  if (response === undefined || next === undefined) return makeRequestLogger(first ?? {});
  mountedLogger ??= makeRequestLogger({});
  return void mountedLogger(first as Request, response, next);
}

// Module state, because a middleware that is mounted directly cannot keep it elsewhere. Made for the first request.
let mountedLogger: RequestHandler | undefined;

function makeRequestLogger(options: unknown): RequestHandler {
  const read = readOptions({ logger: optional(loggerOption) }, options, { owner: "requestLogger" });
  const { logger = createLogger({ level: "info" }) } = read;
  return (request, response, next) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request, response);
    response.once("close", () => {
      const durationMs = elapsedMs(startedAt);
      logger.info("request", { ...describe(request, response), durationMs, requestId });
    });
    next();
  };
}

function describe(request: Request, response: Response): object {
  const { route, name, runId, tokens } = requestRecordOf(response);
  const { statusCode, headersSent, writableFinished } = response;
  return {
    method: request.method,
    path: route ?? cutText(request.originalUrl.split("?", 1)[0] ?? "", longestPath),
    name,
    // A client that disconnected before the answer received no status; 499 is customary for this case.
    status: headersSent ? statusCode : 499,
    runId,
    tokens,
    ...(!writableFinished && { aborted: true }),
  };
}
