import { randomUUID } from "node:crypto";
import { TroupeError } from "@troupe/core";
import { checkUser } from "@troupe/core/transport";
import type { Principal } from "@troupe/http";
import type { Request, RequestHandler } from "express";

const cookieName = "troupe_demo_visitor";
const visitorCookie = new RegExp(`(?:^|; )${cookieName}=(visitor-[\\da-f-]{36})(?:;|$)`);

/**
 * Takes the user that the header `x-demo-user` names, or the visitor in the cookie of the page, without a check of the sender. A
 * real service authenticates here.
 */
export const trustDemoUser: RequestHandler = (request, _response, next) => {
  const named = request.get("x-demo-user");
  const visitor = readVisitor(request);
  if (named !== undefined) Object.assign(request, { principal: principalOf(named, "The header x-demo-user") });
  else if (visitor !== undefined) Object.assign(request, { principal: { userId: visitor } satisfies Principal });
  next();
};

/** Makes each browser that opens the page a user of its own: its sessions and runs are listed, and it is remembered. */
export const welcomeVisitor: RequestHandler = (request, response, next) => {
  if (readVisitor(request) === undefined) {
    response.cookie(cookieName, `visitor-${randomUUID()}`, { httpOnly: true, sameSite: "strict", maxAge: yearMs });
  }
  next();
};

const yearMs = 31_536_000_000;

function readVisitor({ headers }: Request): string | undefined {
  return visitorCookie.exec(headers.cookie ?? "")?.[1];
}

/** Returns the principal of a user id that `where` holds. Throws `invalid_request` for one that is none. */
export function principalOf(userId: unknown, where: string): Principal {
  try {
    return { userId: checkUser(userId as string, {}).userId };
  } catch (cause) {
    throw new TroupeError("invalid_request", `${where}: ${(cause as Error).message}`, { cause });
  }
}
