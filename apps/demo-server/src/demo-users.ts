import { TroupeError } from "@troupe/core";
import { checkUser } from "@troupe/core/adapter";
import type { Principal } from "@troupe/http";
import type { RequestHandler } from "express";

/** Takes the user that the header `x-demo-user` names, without a check of the sender. A real service authenticates here. */
export const trustUserHeader: RequestHandler = (request, _response, next) => {
  const userId = request.get("x-demo-user");
  if (userId !== undefined) Object.assign(request, { principal: principalOf(userId, "The header x-demo-user") });
  next();
};

/** Returns the principal of a user id that `where` holds. Throws `invalid_request` for one that is none. */
export function principalOf(userId: unknown, where: string): Principal {
  try {
    return { userId: checkUser(userId as string, {}).userId };
  } catch (cause) {
    throw new TroupeError("invalid_request", `${where}: ${(cause as Error).message}`, { cause });
  }
}
