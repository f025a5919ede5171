import { TroupeError } from "../../base/errors/troupe-error.ts";
import { encodeKey } from "./encode-key.ts";

/**
 * The tenant of a user, and true if the user is verified, in addition to the user id: the same id in two scopes means
 * two users.
 */
export type UserScope = {
  /** The tenant, in a service with several tenants. */
  tenantId?: string | undefined;
  /**
   * False for a user id that a client claims without proof. Such a user is separate from the verified user of that
   * name: neither can access the sessions, memory or facts of the other. @default true
   */
  verified?: boolean | undefined;
};

/**
 * Owner of a session, and of its memory. Each owner has separate session ids: the same id of two owners means two
 * sessions. A session without a user is accessible to all callers of its tenant who know its id and name no user.
 */
export type SessionOwner = UserScope & { userId?: string | undefined };

/** An owner that is named explicitly: `userId` is given, and is `undefined` for a session without a user. */
export type StatedOwner = SessionOwner & { userId: string | undefined };

/** An owner with a user id, for facts and other records that require a user. */
export type UserOwner = SessionOwner & { userId: string };

/** The maximum length of a name: two names and a session id must fit into a key of every storage. */
const longestName = 255;

/**
 * Returns the owner's names after a check that they can be part of a storage key. Throws `invalid_request` for other
 * names.
 */
export function checkOwner({ tenantId, userId, verified }: SessionOwner): SessionOwner {
  return {
    ...(tenantId !== undefined && { tenantId: checkName(tenantId, "tenantId") }),
    ...(userId !== undefined && { userId: checkName(userId, "userId") }),
    ...(!isVerified(verified) && userId !== undefined && { verified: false }),
  };
}

/** Returns the owner for a user id and its scope. Throws `invalid_request` for a missing or wrong `userId`. */
export function toUserOwner(userId: string, scope: UserScope): UserOwner {
  const { tenantId, verified } = scope;
  return { ...checkOwner({ tenantId, userId, verified }), userId: checkName(userId, "userId") };
}

/** Returns `verified` with its default. Rejects a value that is not a boolean, because it must not count as true. */
function isVerified(verified: unknown): boolean {
  if (verified === undefined || typeof verified === "boolean") return verified ?? true;
  throw new TroupeError("invalid_request", "verified must be true or false.");
}

function checkName(name: unknown, field: string): string {
  // Some databases store ill-formed strings with replacement characters, so that two names would become one.
  const isName = typeof name === "string" && name !== "" && name.isWellFormed();
  if (isName && encodeKey(name).length <= longestName) return name;
  throw new TroupeError(
    "invalid_request",
    `${field} must be a well-formed string of 1 to ${longestName} characters, where each byte outside of A-Z, a-z, 0-9 ` +
      "and _ . : @ - counts three times.",
  );
}
