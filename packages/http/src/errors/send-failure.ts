import type { TroupeError } from "@troupe/core";
import { toPublicFailure } from "@troupe/core/transport";
import type { Request, Response } from "express";
import type { Exchange } from "../exchange/exchange.ts";
import { sendJson } from "../exchange/send-json.ts";
import { logFailure } from "./log-failure.ts";
import type { FailedRun } from "./log-failure.ts";
import { toHttpFailure } from "./to-http-failure.ts";

/** Headers of the answer that would have come instead. */
const contentHeaders = ["Content-Disposition", "Content-Encoding", "Content-Range", "ETag", "Last-Modified"];

/** Milliseconds for which a client may go on sending a body that is discarded. */
const longestDiscardMs = 2000;

/**
 * Answers a failed request with the error as JSON, or cuts the connection if an answer has begun, and logs failures
 * that the operator must mend.
 */
export function sendFailure(thrown: unknown, exchange: Exchange, run?: FailedRun): void {
  const { status, error } = toHttpFailure(thrown);
  const { response, requestId, logger } = exchange;
  try {
    logFailure(error, exchange, run);
    if (response.writableEnded) return;
    if (response.headersSent || response.destroyed) response.destroy();
    else sendError(error, status, exchange);
  } catch (failure) {
    // The host may have replaced a method of the response by one that throws.
    logger.error("A failure could not be sent.", { requestId, error: failure });
    response.destroy();
  }
}

function sendError(error: TroupeError, status: number, { request, response, requestId }: Exchange): void {
  for (const name of contentHeaders) response.removeHeader(name);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) response.setHeader("Retry-After", retryAfter);
  const body = { error: { ...toPublicFailure(error), requestId } };
  // The client may still be sending a body that is not read.
  if (error.code === "payload_too_large" || isHalfRead(request) || isCutOff(request, response))
    sendBeforeBodyEnds(request, response, { status, body });
  else sendJson(response, status, body);
}

/** Node discards an unread body by itself, but not one that has been read in part. */
function isHalfRead({ complete, readableDidRead }: Request): boolean {
  return readableDidRead && !complete;
}

/** Node closes a connection after its last answer, whatever its client still sends. */
function isCutOff({ complete }: Request, response: Response): boolean {
  return !complete && response.getHeader("Connection") === "close";
}

/** Returns whole seconds, as HTTP counts; rounded up, so that no client comes back too early. */
function retryAfterOf({ fields }: TroupeError): number | undefined {
  const waitMs = fields["retryAfterMs"];
  return typeof waitMs === "number" && waitMs >= 0 ? Math.ceil(waitMs / 1000) : undefined;
}

/**
 * Answers while the client is still sending, then closes the connection. A connection that is closed with unread bytes is
 * reset, and the client might lose the answer: so the rest of the body is read and discarded for a moment.
 */
function sendBeforeBodyEnds(request: Request, response: Response, answer: { status: number; body: object }): void {
  const json = JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(json),
    "Cache-Control": "no-store",
    Connection: "close",
  });
  if (request.complete) {
    response.end(json);
    return;
  }
  response.write(json);
  const end = (): void => {
    clearTimeout(timer);
    request.off("end", end).off("close", end);
    response.end();
  };
  const timer = setTimeout(end, longestDiscardMs);
  request.on("end", end).on("close", end).resume();
}
