import { ipVersion } from "../../base/util/ip-version.ts";
import { ownerKey } from "../storage/owner-key.ts";
import type { OwnerKey } from "../storage/owner-key.ts";
import type { SessionOwner } from "../storage/session-owner.ts";

/** A caller for counting against limits: a verified user, a caller without a verified user, or the program itself. */
export type CountedCaller = {
  readonly kind: "user" | "anonymous" | "host";
  readonly key: CallerKey;
};

declare const form: unique symbol;

/**
 * A caller as one value: callers with the same key count as one. A user's key is the owner's; other keys begin with
 * `#`.
 */
export type CallerKey = OwnerKey | (string & { readonly [form]: "caller" });

/** The key of all callers without a verified user whose addresses are unknown. No owner's key begins with `#`. */
const anonymousKey = "#";

/** The program itself, whose own runs have no limit for each caller. */
export const hostCaller: CountedCaller = { kind: "host", key: "#host" as CallerKey };

/**
 * Returns the caller of a request from outside. A user who is only claimed does not count as a user, because anyone can
 * claim a thousand users.
 *
 * @param address the remote address, if the host vouches that it is the client's
 */
export function countedCaller(owner: SessionOwner, address?: string): CountedCaller {
  const { userId, verified = true } = owner;
  if (userId !== undefined && verified) return { kind: "user", key: ownerKey(owner) };
  const network = address === undefined ? undefined : networkOf(address);
  if (network === undefined) return anonymousCaller();
  // The address is hashed, because addresses are personal data and the key is stored with a run.
  const { hash } = process.getBuiltinModule("node:crypto");
  return anonymousCaller(`${anonymousKey}${hash("sha256", network).slice(0, 16)}`);
}

/** Returns the caller, without a verified user, that has this key. */
export function anonymousCaller(key = anonymousKey): CountedCaller {
  return { kind: "anonymous", key: key as CallerKey };
}

/**
 * Returns an IPv4 address (of an IPv4-mapped IPv6 address too), or the /64 prefix of an IPv6 address, all of which
 * belongs to one client. Undefined for other strings.
 */
function networkOf(address: string): string | undefined {
  const [plain = ""] = address.split("%");
  const version = ipVersion(plain);
  if (version !== 6) return version === 4 ? plain : undefined;
  const groups = groupsOf(plain);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  return groups.slice(0, 4).join(":");
}

/** Returns the eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // In canonical form an IPv4 address at the end of an IPv6 address becomes two groups.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const read = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [read(head), read(tail ?? "")];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}
