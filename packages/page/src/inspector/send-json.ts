import type { ErrorCode, Logger } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import { toPublicError } from "@troupe/core/transport";
import type { PublicError } from "@troupe/core/transport";
import type { Response } from "express";

/** The statuses of the errors that reading runs may end with; 500 for all others. */
const statusByCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  gone: 410,
  storage_corrupt: 503,
  storage_unavailable: 503,
  unavailable: 503,
};

/** Sends a value as JSON that no cache stores and no other site reads. */
export function sendJson(response: Response, status: number, value: unknown): void {
  const json = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(json),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
  });
  response.end(json);
}

/** Sends what was thrown as JSON, or cuts the connection when the answer has begun. Logs what is not the client's fault. */
export function sendFailure(response: Response, thrown: unknown, logger: Logger | undefined): void {
  const { code } = toTroupeError(thrown);
  const status = response.hasHeader("Allow") ? 405 : (statusByCode[code] ?? 500);
  if (status >= 500) logger?.warn("A request to the inspector failed.", { error: thrown });
  if (response.headersSent || response.destroyed) response.destroy();
  else sendJson(response, status, toFailureBody(thrown));
}

/** Returns what a client is told of something thrown. */
export function toFailureBody(thrown: unknown): { error: PublicError } {
  return { error: toPublicError(thrown) };
}
