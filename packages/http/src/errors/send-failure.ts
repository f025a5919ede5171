import type { TroupeError } from "@troupe/core";
import { toPublicError } from "@troupe/core/adapter";
import type { Request, Response } from "express";
import { sendJson } from "../send-json.ts";
import { endUnread } from "./end-unread.ts";
import { reportFailure } from "./report-failure.ts";
import type { Report } from "./report-failure.ts";
import { toFailure } from "./to-failure.ts";

/** Headers of an answer that will not come. */
const contentHeaders = ["Content-Disposition", "Content-Encoding", "Content-Range", "ETag", "Last-Modified"];

/** Answers a request that failed, or cuts off an answer that had begun, and tells the operator what is theirs to mend. */
export function sendFailure(thrown: unknown, response: Response, report: Report): void {
  const { status, error } = toFailure(thrown);
  reportFailure(error, report);
  if (response.writableEnded) return;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  for (const name of contentHeaders) response.removeHeader(name);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) response.setHeader("Retry-After", retryAfter);
  const body = { error: toErrorBody(error, report.requestId) };
  // The client may still be sending what nobody will read.
  const isUnread = error.code === "payload_too_large" || isHalfRead(report.request);
  if (isUnread) endUnread(report.request, response, { status, body });
  else sendJson(response, status, body);
}

/** What somebody has begun to read, Node's server does not throw away by itself. */
function isHalfRead({ complete, readableDidRead }: Request): boolean {
  return readableDidRead && !complete;
}

function toErrorBody(error: TroupeError, requestId: string): object {
  const { code, message, ...fields } = toPublicError(error);
  return { code, message, ...fields, requestId };
}

/** HTTP counts in whole seconds; rounded down, a client would come back too early. */
function retryAfterOf({ fields }: TroupeError): number | undefined {
  const waitMs = fields["retryAfterMs"];
  return typeof waitMs === "number" && waitMs >= 0 ? Math.ceil(waitMs / 1000) : undefined;
}
