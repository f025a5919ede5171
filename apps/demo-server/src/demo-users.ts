import { randomUUID } from "node:crypto";
import { TroupeError } from "@troupe/core";
import { toUserOwner } from "@troupe/core/transport";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import type { RequestHandler } from "express";
import type { Socket } from "socket.io";

const cookieName = "troupe_demo_visitor";
const visitorCookie = new RegExp(`(?:^|; )${cookieName}=(visitor-[\\da-f-]{36})(?:;|$)`);

/**
 * Accepts the user in the header `x-demo-user`, or in `auth.user` of a socket's handshake, or the visitor in the page's
 * cookie, without authentication. A real service authenticates here.
 */
export function readDemoUser({ headers, native }: ServiceRequest): Principal | undefined {
  const named = headers.get("x-demo-user");
  if (named !== null) return principalOf(named, "The header x-demo-user");
  const { handshake } = native as Partial<Socket>;
  const { user } = (handshake?.auth ?? {}) as { user?: unknown };
  if (user !== undefined) return principalOf(user, "auth.user of the handshake");
  const visitor = readVisitor(headers.get("cookie"));
  return visitor === undefined ? undefined : { userId: visitor };
}

/**
 * Gives each browser that opens the page a user of its own, whose sessions and runs are listed and who is remembered.
 */
export const welcomeVisitor: RequestHandler = (request, response, next) => {
  if (readVisitor(request.headers.cookie) === undefined) {
    response.cookie(cookieName, `visitor-${randomUUID()}`, { httpOnly: true, sameSite: "strict", maxAge: yearMs });
  }
  next();
};

const yearMs = 31_536_000_000;

function readVisitor(cookie: string | null | undefined): string | undefined {
  return visitorCookie.exec(cookie ?? "")?.[1];
}

/** Returns the principal of a user id found in `where`. Throws `invalid_request` for an invalid id. */
function principalOf(userId: unknown, where: string): Principal {
  try {
    return { userId: toUserOwner(userId as string, {}).userId };
  } catch (cause) {
    throw new TroupeError("invalid_request", `${where}: ${(cause as Error).message}`, { cause });
  }
}
