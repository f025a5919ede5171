import { TroupeError } from "@troupe/core";
import { checkOwner } from "@troupe/core/adapter";
import type { Request } from "express";

/** Who the host says is asking: what its authentication puts at `request.principal`. */
export type Principal = {
  userId: string;
  /** Whose user that is, where a service has several tenants. */
  tenantId?: string;
};

/** The principal of a request, if its host has set one. One that cannot be read is the host's fault, and nobody is let in. */
export function readPrincipal(request: Request): Principal | undefined {
  const { principal } = request as { principal?: unknown };
  if (principal === undefined) return undefined;
  try {
    return checkPrincipal(principal);
  } catch (cause) {
    throw new TroupeError("internal", "request.principal must be { userId, tenantId? }, both texts.", { cause });
  }
}

function checkPrincipal(principal: unknown): Principal {
  const { userId, tenantId } = principal as { userId?: unknown; tenantId?: unknown };
  const owner = checkOwner({ userId: userId as string, tenantId: tenantId as string });
  if (owner.userId === undefined) throw new TypeError("userId is missing.");
  return { userId: owner.userId, ...(owner.tenantId !== undefined && { tenantId: owner.tenantId }) };
}

/** Whose run it is: the principal's, and a user named in the body must be the same. Without a principal the body is believed. */
export function readUser(principal: Principal | undefined, claimed: unknown): Partial<Principal> {
  if (claimed === undefined) return principal ?? {};
  const { userId } = checkOwner({ userId: claimed as string });
  if (principal === undefined) return { ...(userId !== undefined && { userId }) };
  if (userId === principal.userId) return principal;
  throw new TroupeError("forbidden", "userId is not who is signed in: leave it out, or sign in as this user.");
}
