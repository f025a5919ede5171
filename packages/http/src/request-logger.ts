import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { checkOptionNames } from "@troupe/core/adapter";
import type { Request, RequestHandler, Response } from "express";
import { readLogger } from "./read-logger.ts";
import { recordOf } from "./request-record.ts";
import { requestIdOf } from "./request/request-id.ts";

/** Where the lines go. */
export type RequestLoggerOptions = {
  /** Is told of each request at level info. @default lines of JSON on the standard error stream */
  logger?: Logger;
};

/** What is shown of a path that is none of the router's. */
const longestPath = 200;

/**
 * Logs each request when it is over, in one line: what was asked for, how it ended, how long it took and what it cost.
 * Nothing of its content is in it, no header, no query and no session's id. To be mounted in front of everything.
 */
export function requestLogger(options: RequestLoggerOptions = {}): RequestHandler {
  checkOptionNames(options, ["logger"], "requestLogger");
  const logger = options.logger === undefined ? createLogger({ level: "info" }) : readLogger(options.logger);
  return (request, response, next) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request, response);
    response.once("close", () => {
      const durationMs = Math.round(performance.now() - startedAt);
      logger.info("request", { ...describe(request, response), durationMs, requestId });
    });
    next();
  };
}

function describe(request: Request, response: Response): object {
  const { route, name, runId, tokens } = recordOf(response);
  const { statusCode, headersSent, writableFinished } = response;
  return {
    method: request.method,
    path: route ?? request.originalUrl.split("?", 1)[0]?.slice(0, longestPath),
    name,
    // Without an answer there is no status; 499 is what is written down where a client did not wait for one.
    status: headersSent ? statusCode : 499,
    runId,
    tokens,
    ...(!writableFinished && { aborted: true }),
  };
}
