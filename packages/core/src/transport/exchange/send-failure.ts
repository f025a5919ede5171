import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { toPublicFailure } from "../public/public-failure.ts";
import { logFailure } from "./log-failure.ts";
import type { FailedRun, LoggedRequest } from "./log-failure.ts";
import { toHttpFailure } from "./to-http-failure.ts";

/** A request in progress that failed, and its answer. */
export type FailingExchange = LoggedRequest & {
  readonly isHeadSent: boolean;
  readonly isEnded: boolean;
  readonly isDestroyed: boolean;
  setHeader(name: string, value: string | number): unknown;
  removeHeader(name: string): void;
  refuse(
    status: number,
    headers: Readonly<Record<string, string | number>>,
    refusal: { body: string; isTooLarge: boolean },
  ): void;
  destroy(): void;
};

/** Content headers that belong to the answer that failed. */
const contentHeaders = ["Content-Disposition", "Content-Encoding", "Content-Range", "ETag", "Last-Modified"];

/**
 * Answers a failed request with the error as JSON. Closes the connection if an answer has already begun. Logs failures
 * that the operator must fix.
 */
export function sendFailure(thrown: unknown, exchange: FailingExchange, run?: FailedRun): void {
  const { status, error } = toHttpFailure(thrown);
  const { requestId, logger } = exchange;
  try {
    logFailure(error, exchange, run);
    if (exchange.isEnded) return;
    if (exchange.isHeadSent || exchange.isDestroyed) exchange.destroy();
    else sendError(error, status, exchange);
  } catch (failure) {
    // The host may have replaced a method of the response with a method that throws.
    logger.error("A failure could not be sent.", { requestId, error: failure });
    exchange.destroy();
  }
}

function sendError(error: TroupeError, status: number, exchange: FailingExchange): void {
  for (const name of contentHeaders) exchange.removeHeader(name);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) exchange.setHeader("Retry-After", retryAfter);
  const json = JSON.stringify({ error: { ...toPublicFailure(error), requestId: exchange.requestId } });
  exchange.refuse(status, jsonHeaders(json), { body: json, isTooLarge: error.code === "payload_too_large" });
}

/** Returns the `Retry-After` of an error in whole seconds, rounded up so that no client returns too early. */
function retryAfterOf({ fields }: TroupeError): number | undefined {
  const waitMs = fields["retryAfterMs"];
  return typeof waitMs === "number" && waitMs >= 0 ? Math.ceil(waitMs / 1000) : undefined;
}

/** Returns the headers of an answer in JSON, which forbid caches to store it. */
export function jsonHeaders(json: string): Record<string, string | number> {
  return {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(json),
    "Cache-Control": "no-store",
  };
}
