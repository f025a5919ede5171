import { encodeKey } from "./encode-key.ts";
import type { SessionOwner, UserScope } from "./session-owner.ts";

declare const form: unique symbol;

/**
 * An owner as one value: two owners are equal if tenant, user and verification are equal. Other code compares, hashes
 * and stores owners only in this form, because code that compares the three fields easily forgets one.
 */
export type OwnerKey = string & { readonly [form]: "owner" };

/**
 * Returns the tenant and the user as the first two parts of a storage key. Each is `-` if missing; a name `-` is
 * written `%2D`, which no other name encodes to. The part of an unverified user begins with `~`, which is encoded in
 * names.
 */
export function ownerKey({ tenantId, userId, verified = true }: SessionOwner): OwnerKey {
  const user = userId === undefined || verified ? namePart(userId) : `~${encodeKey(userId)}`;
  return `${namePart(tenantId)}/${user}` as OwnerKey;
}

/** Returns the owner at the beginning of a storage key. */
export function ownerOfKey(key: string): OwnerKey {
  const [tenant, user = "-"] = key.split("/", 2);
  return `${tenant}/${user}` as OwnerKey;
}

/** Returns the verification of an owner's user: no user, a verified user, or a user who is only claimed. */
export function userOfKey(owner: OwnerKey): "verified" | "claimed" | "none" {
  const user = owner.slice(owner.indexOf("/") + 1);
  if (user.startsWith("~")) return "claimed";
  return user === "-" ? "none" : "verified";
}

/** Returns true if two owners have the same tenant, or both have none. */
export function isSameTenant(one: UserScope, other: UserScope): boolean {
  return one.tenantId === other.tenantId;
}

function namePart(name: string | undefined): string {
  if (name === undefined) return "-";
  return name === "-" ? "%2D" : encodeKey(name);
}
