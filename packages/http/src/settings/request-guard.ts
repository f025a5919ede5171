import { TroupeError } from "@troupe/core";
import { createHostCheck, createOriginCheck, isFromOtherSite, readRequestHost } from "@troupe/core/adapter";
import type { Request } from "express";
import type { RouterOptions } from "./router-options.ts";

/** Paths below which the router takes requests that change something. */
const guardedPaths = /^\/(?:agents|teams|workflows|runs|sessions)(?:\/|$)/i;

/** Types of a body that a page may send to another site without a preflight. */
const simpleTypes = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)?\s*(?:;|$)/i;

/**
 * Makes the check of each request before anything else sees it. It throws `forbidden` for a host that is not in
 * `allowedHosts`, and for what a browser sends from another site's page without asking first, unless its origin is in
 * `allowedOrigins`.
 */
export function createRequestGuard({
  allowedOrigins,
  allowedHosts,
}: Pick<RouterOptions, "allowedOrigins" | "allowedHosts">): (request: Request) => void {
  const isAllowedOrigin = createOriginCheck(allowedOrigins);
  const isAllowedHost = allowedHosts && createHostCheck(allowedHosts);
  return (request) => {
    if (isAllowedHost?.(hostOf(request)) === false) {
      throw forbidden("The host of the request is not one of this service. The option allowedHosts lists its hosts.");
    }
    if (request.method !== "POST" || !simpleTypes.test(request.headers["content-type"] ?? "")) return;
    if (!isFromOtherSite(request.headers, hostOf(request)) || !guardedPaths.test(request.path)) return;
    if (isAllowedOrigin(request.headers.origin ?? "")) return;
    throw forbidden(
      "A page of another site sent this request. The option allowedOrigins lists the origins that may send it.",
    );
  };
}

function hostOf({ originalUrl, headers }: Request) {
  return readRequestHost(originalUrl, headers.host);
}

function forbidden(message: string): TroupeError {
  return new TroupeError("forbidden", message);
}
