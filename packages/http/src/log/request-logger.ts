import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { cutText, elapsedMs, loggerOption, optional, readOptions } from "@troupe/core/kit";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { requestIdOf } from "../exchange/request-id.ts";
import { requestRecordOf } from "../exchange/request-record.ts";

/** Options of {@link requestLogger}. */
export type RequestLoggerOptions = {
  /** Receives a line per request at level info. @default lines of JSON on the standard error stream */
  logger?: Logger | undefined;
};

/** The longest part shown of a path that is none of the router's. */
const longestPath = 200;

/**
 * A middleware, mounted as it is or called with options, that logs each request in one line when it has ended: method,
 * path, status, duration, tokens. No content, header, query or session id is logged. Mount it before everything else.
 */
export function requestLogger(options?: RequestLoggerOptions): RequestHandler;
/** Logs a request with the default options, as Express calls a middleware that is mounted as it is. */
export function requestLogger(request: Request, response: Response, next: NextFunction): void;
/** Acts on a request if it is called as Express calls a middleware; else makes the middleware. */
export function requestLogger(first?: unknown, response?: Response, next?: NextFunction): RequestHandler | void {
  if (response === undefined || next === undefined) return makeRequestLogger(first ?? {});
  mountedLogger ??= makeRequestLogger({});
  return void mountedLogger(first as Request, response, next);
}

// Module state, as no caller could keep it: the logger of all that is mounted as it is, made for its first request.
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
    // Without an answer there is no status; 499 is the usual one for a client that did not wait.
    status: headersSent ? statusCode : 499,
    runId,
    tokens,
    ...(!writableFinished && { aborted: true }),
  };
}
