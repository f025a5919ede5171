import type { IncomingMessage, ServerResponse } from "node:http";
import { createId } from "../../base/util/create-id.ts";

/** The header with the id of a request in logs. */
export const requestIdHeader = "X-Request-Id";

const clientForm = /^[\w.:-]{1,128}$/;

/**
 * Returns the id of a request for logs, and sets it as `X-Request-Id` of the response. It is the id that the host has
 * already set there, else the client's id if it has 1 to 128 allowed characters, else a new id.
 */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string {
  const given = response.getHeader(requestIdHeader);
  if (typeof given === "string") return given;
  const id = toRequestId(request.headers["x-request-id"]);
  if (!response.headersSent) response.setHeader(requestIdHeader, id);
  return id;
}

/** Returns the client's request id if it has 1 to 128 allowed characters, otherwise a new id. */
export function toRequestId(sent: unknown): string {
  return typeof sent === "string" && clientForm.test(sent) ? sent : createId();
}
