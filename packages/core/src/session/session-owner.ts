import { TroupeError } from "../errors/troupe-error.ts";
import { encodeKey } from "../storage/encode-key.ts";

/** Whose a session is. Without a user it is open to whoever knows its id, within its tenant. */
export type SessionOwner = { tenantId?: string | undefined; userId?: string | undefined };

/** Two names and a session's id are to fit into the keys of every storage. */
const longestName = 255;

/** Takes an owner whose names can be part of a key; anything else is `invalid_request`. */
export function checkOwner({ tenantId, userId }: SessionOwner): SessionOwner {
  return {
    ...(tenantId !== undefined && { tenantId: checkName(tenantId, "tenantId") }),
    ...(userId !== undefined && { userId: checkName(userId, "userId") }),
  };
}

/** Whether the caller may use what the owner has. Somebody else's session does not exist for them. */
export function mayUse(owner: SessionOwner, caller: SessionOwner): boolean {
  return owner.tenantId === caller.tenantId && (owner.userId === undefined || owner.userId === caller.userId);
}

function checkName(name: unknown, field: string): string {
  // Ill-formed text is stored as the replacement character by some databases, where two names would become one.
  const isName = typeof name === "string" && name !== "" && name.isWellFormed();
  if (isName && encodeKey(name).length <= longestName) return name;
  throw new TroupeError(
    "invalid_request",
    `${field} must be well-formed text of 1 to ${longestName} characters, where each byte outside of A-Z, a-z, 0-9 and ` +
      "_ . : @ - counts three times.",
  );
}
