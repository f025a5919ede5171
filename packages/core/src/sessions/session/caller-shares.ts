import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { CountedCaller } from "./counted-caller.ts";

/** Milliseconds after which a refused caller may try again. */
const retryAfterMs = 1000;

/** The part of a bound that callers without a user have together, beside users. */
const anonymousPart = 1 / 10;

/** The number that one caller may hold of a bound that is not larger. */
const leastPerCaller = 20;

const subjects = {
  user: "This user has",
  users: "All users together have",
  address: "This address has",
  anonymous: "Callers without a user have",
  host: "The service itself has",
} as const;

/** A bound: for all users together, and for each caller. */
export type CallerBounds = {
  readonly total: number;
  /** @default a tenth of the total and at least 20 */
  readonly perCaller?: number | undefined;
  /** True where users are known to come: callers without one never have all of the bound. @default false */
  readonly hasUsers?: boolean | undefined;
};

/** What a caller holds, and what all callers of its kind hold together. */
export type HeldShare = { readonly own: number; readonly together: number };

/** A share that is full: whose it is, and its bound. */
export type FullShare = { readonly whose: keyof typeof subjects; readonly limit: number };

/**
 * The shares of callers in a bound. Each user has a share, and all users together have the whole: what others hold does not count
 * against them. Callers without a user have the whole too, until the first user comes; from then on they have a tenth together,
 * of which each known address has at most the share of a user.
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

  /** Returns what all callers of a caller's kind may hold together. */
  totalOf({ kind }: CountedCaller): number {
    if (kind === "user") this.#hasUsers = true;
    if (kind !== "anonymous" || !this.#hasUsers) return this.#total;
    return Math.max(1, Math.floor(this.#total * anonymousPart));
  }

  /** Returns the share that is full, so that the caller can hold no more; undefined when there is room. */
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

/** Makes the error for one more than a share has room for. `what`: what is bounded, such as "open runs". */
export function shareRefused({ whose, limit }: FullShare, what: string): TroupeError {
  const message = `${subjects[whose]} ${limit} ${what}, which is the limit. ${cures[whose]}`;
  return new TroupeError("rate_limited", message, { fields: { limit, retryAfterMs } });
}
