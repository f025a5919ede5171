import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { CountedCaller } from "./counted-caller.ts";

/** Milliseconds after which a rejected caller may try again. */
const retryAfterMs = 1000;

/**
 * The share of a limit that callers without a user have together, once there are users. Also the default share of one
 * caller.
 */
const anonymousPart = 1 / 10;

/** The minimum share of one caller in a limit, if the limit is at least as large. */
const leastPerCaller = 20;

const subjects = {
  user: "This user has",
  users: "All users together have",
  address: "This address has",
  anonymous: "Callers without a user have",
  host: "The service itself has",
} as const;

/** Limits on what callers hold, such as open runs: for all users together, and for each caller. */
export type CallerBounds = {
  readonly total: number;
  /**
   * The limit for each user, and for each address of callers without a user. @default a tenth of the total, and at
   * least 20
   */
  readonly perCaller?: number | undefined;
  /** True if users are expected: callers without a user then never get the whole limit. @default false */
  readonly hasUsers?: boolean | undefined;
};

/**
 * The part of a limit that one caller has taken (`own`), and the part that all callers of its kind (users, or callers
 * without a user) have taken together.
 */
export type HeldShare = { readonly own: number; readonly together: number };

/** A full share: the group that it belongs to, and its limit. */
export type FullShare = { readonly whose: keyof typeof subjects; readonly limit: number };

/**
 * The shares of callers in a limit. Each user has a share, and all users together have the whole limit; what other
 * callers hold does not count against users. Callers without a user have the whole limit too until the first user
 * appears, and a tenth together from then on. Each of their known addresses always has at most a user's share. The
 * program itself has no share of its own, only the whole limit.
 */
export class CallerShares {
  readonly #total: number;
  readonly #perCaller: number;
  #hasUsers: boolean;

  constructor({
    total,
    perCaller = Math.max(leastPerCaller, Math.floor(total * anonymousPart)),
    hasUsers = false,
  }: CallerBounds) {
    this.#total = total;
    this.#perCaller = perCaller;
    this.#hasUsers = hasUsers;
  }

  /**
   * Returns the limit for all callers of one kind together, such as all users. A call for a user records that there are
   * users.
   */
  totalOf({ kind }: CountedCaller): number {
    if (kind === "user") this.#hasUsers = true;
    if (kind !== "anonymous" || !this.#hasUsers) return this.#total;
    return Math.max(1, Math.floor(this.#total * anonymousPart));
  }

  /** Returns the full share that prevents the caller from holding more; undefined if there is room. */
  fullOf(caller: CountedCaller, { own, together }: HeldShare): FullShare | undefined {
    const total = this.totalOf(caller);
    const isUser = caller.kind === "user";
    const isOne = isUser || (caller.kind === "anonymous" && caller.key.length > 1);
    if (isOne && own >= Math.min(this.#perCaller, total)) {
      return { whose: isUser ? "user" : "address", limit: Math.min(this.#perCaller, total) };
    }
    if (together < total) return undefined;
    return { whose: isUser ? "users" : caller.kind, limit: total };
  }
}

const cures = {
  user: "Wait for one to end, or cancel one.",
  users: "Try again later.",
  address: "Wait for one to end, or sign in.",
  anonymous: "Try again later, or sign in.",
  host: "Wait for one to end, or cancel one.",
} as const satisfies Record<FullShare["whose"], string>;

/** Makes the error for a caller whose share is full. `what`: the limited things, such as "open runs". */
export function shareRefused({ whose, limit }: FullShare, what: string): TroupeError {
  const message = `${subjects[whose]} ${limit} ${what}, which is the limit. ${cures[whose]}`;
  return new TroupeError("rate_limited", message, { fields: { limit, retryAfterMs } });
}
