import type { IncomingMessage, ServerResponse } from "node:http";
import { createId } from "../../base/util/create-id.ts";

/** The header by which a request is found in logs. */
export const requestIdHeader = "X-Request-Id";

const clientForm = /^[\w.:-]{1,128}$/;

/**
 * Returns the id of a request for logs, and sets it as `X-Request-Id` of the response. It is the id that the host
 * already set there, else the client's if it has 1 to 128 allowed characters, else a new id.
 */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string {
  const given = response.getHeader(requestIdHeader);
  if (typeof given === "string") return given;
  const id = toRequestId(request.headers["x-request-id"]);
  if (!response.headersSent) response.setHeader(requestIdHeader, id);
  return id;
}

/** Returns the id that a client has sent if it has 1 to 128 allowed characters, else a new one. */
export function toRequestId(sent: unknown): string {
  return typeof sent === "string" && clientForm.test(sent) ? sent : createId();
}
