import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ServedRunOpts } from "../../agents/run/run-options.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { checkOwner, toUserOwner } from "../../sessions/storage/session-owner.ts";

/** The authenticated user of a request or a connection, passed to a transport by the host's authentication. */
export type Principal = {
  userId: string;
  /** The tenant of the user, in a service with several tenants. */
  tenantId?: string;
};

/**
 * Policy for the `userId` that a client sends if the host set no principal. `"trusted"` accepts it as the authenticated
 * user. `"unverified"` keeps its sessions and memory separate from the sessions and memory of the authenticated user
 * with the same id.
 */
export type BodyUserId = "trusted" | "unverified";

/**
 * The user that a run is for, as the fields `userId`, `tenantId` and `verified` of its options. Empty for a run without
 * a user.
 */
export type RunUser = Pick<ServedRunOpts, "userId" | "tenantId" | "verified">;

/**
 * Checks the authenticated user that the host's authentication stored at `where`, such as `"request.principal"`.
 * Returns undefined if no user is signed in. A malformed value throws `internal`, because the host made the mistake.
 */
export function readPrincipal(principal: unknown, where: string): Principal | undefined {
  if (principal === undefined) return undefined;
  try {
    return checkPrincipal(principal);
  } catch (cause) {
    throw new TroupeError("internal", `${where} must be { userId, tenantId? }, both strings.`, { cause });
  }
}

function checkPrincipal(principal: unknown): Principal {
  const { userId, tenantId } = principal as { userId?: unknown; tenantId?: unknown };
  const owner = checkOwner({ userId: userId as string, tenantId: tenantId as string });
  if (owner.userId === undefined) throw new TypeError("userId is missing.");
  return { userId: owner.userId, ...(owner.tenantId !== undefined && { tenantId: owner.tenantId }) };
}

/**
 * Returns the user of a run: the principal or, without a principal, the user that the client claims to be (`claimed`).
 * A claimed user is unverified unless `bodyUserId` is `"trusted"`. Throws `forbidden` if the claim differs from the
 * principal.
 */
export function readRunUser(
  principal: Principal | undefined,
  { claimed, bodyUserId }: { claimed: unknown; bodyUserId: BodyUserId },
): RunUser {
  if (claimed === undefined) return principal ?? {};
  const { userId } = toUserOwner(claimed as string, {});
  if (principal === undefined) return { userId, verified: bodyUserId === "trusted" };
  if (ownerKey({ ...principal, userId }) === ownerKey(principal)) return principal;
  throw new TroupeError(
    "forbidden",
    "userId must be the user who is signed in. Leave it out, or sign in as that user.",
  );
}
