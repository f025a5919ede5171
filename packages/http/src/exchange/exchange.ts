import type { Logger } from "@troupe/core";
import { readPrincipal } from "@troupe/core/transport";
import type { Principal } from "@troupe/core/transport";
import type { Request, Response } from "express";

/**
 * One HTTP request in progress, as route handlers get it: with its response, its id and the logger for its failures.
 */
export type Exchange = {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly logger: Logger;
};

/** Returns the authenticated user that the host's authentication set at `request.principal`, or undefined if it set none. */
export function principalOf(request: Request): Principal | undefined {
  return readPrincipal(request.principal, "request.principal");
}
