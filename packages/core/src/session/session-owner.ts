import { TroupeError } from "../errors/troupe-error.ts";
import { encodeKey } from "../storage/encode-key.ts";

/** Owner of a session. Without a user, every caller of its tenant who knows the id may use it. */
export type SessionOwner = { tenantId?: string | undefined; userId?: string | undefined };

/** Two names and a session id have to fit into a key of every storage. */
const longestName = 255;

/** Returns an owner whose names can be part of a key; anything else is `invalid_request`. */
export function checkOwner({ tenantId, userId }: SessionOwner): SessionOwner {
  return {
    ...(tenantId !== undefined && { tenantId: checkName(tenantId, "tenantId") }),
    ...(userId !== undefined && { userId: checkName(userId, "userId") }),
  };
}

/** Returns whether the caller may use what the owner has. For all others it does not exist. */
export function mayUse(owner: SessionOwner, caller: SessionOwner): boolean {
  return owner.tenantId === caller.tenantId && (owner.userId === undefined || owner.userId === caller.userId);
}

function checkName(name: unknown, field: string): string {
  // Some databases store ill-formed strings with replacement characters, where two names would become one.
  const isName = typeof name === "string" && name !== "" && name.isWellFormed();
  if (isName && encodeKey(name).length <= longestName) return name;
  throw new TroupeError(
    "invalid_request",
    `${field} must be a well-formed string of 1 to ${longestName} characters, where each byte outside of A-Z, a-z, 0-9 ` +
      "and _ . : @ - counts three times.",
  );
}
