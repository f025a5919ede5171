import { SourceGuard } from "@troupe/core/transport";
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
export function createRequestGuard(
  options: Pick<RouterOptions, "allowedOrigins" | "allowedHosts">,
): (request: Request) => void {
  const guard = new SourceGuard(options);
  return (request) => {
    guard.checkHost(request);
    if (request.method !== "POST" || !simpleTypes.test(request.headers["content-type"] ?? "")) return;
    if (guardedPaths.test(request.path)) guard.checkPage(request);
  };
}
