import { TroupeError } from "../errors/troupe-error.ts";
import { isCount } from "../storage/stored-record.ts";

/** How much to give at once, and behind what to begin. */
export type PageOptions<Cursor> = {
  /** From 1 to 100. @default 20 */
  limit?: number | undefined;
  /** Where the page before this one ended. */
  after?: Cursor | undefined;
};

const largestPage = 100;
/** Keys have room for 12 digits. */
const largestNumber = 999_999_999_999;

/** Takes the size of a page; anything else is `invalid_request`. */
export function checkLimit(limit = 20): number {
  if (isCount(limit) && limit >= 1 && limit <= largestPage) return limit;
  throw new TroupeError("invalid_request", `limit must be a whole number from 1 to ${largestPage}.`);
}

/** Takes the number of the turn behind which a page begins; anything else is `invalid_request`. */
export function checkAfter(after = 0): number {
  if (isCount(after) && after <= largestNumber) return after;
  throw new TroupeError("invalid_request", "after must be the number of a turn, as `next` of the page before gave it.");
}
