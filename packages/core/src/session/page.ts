import { TroupeError } from "../errors/troupe-error.ts";
import { isCount } from "../storage/stored-record.ts";

/** Size of a page, and its beginning. */
export type PageOptions<Cursor> = {
  /** Number of items, from 1 to 100. @default 20 */
  limit?: number | undefined;
  /** `next` of the page before. */
  after?: Cursor | undefined;
};

const largestPage = 100;
/** Keys have room for 12 digits. */
const largestNumber = 999_999_999_999;

/** Returns the size of a page; a wrong one is `invalid_request`. */
export function checkLimit(limit = 20): number {
  if (isCount(limit) && limit >= 1 && limit <= largestPage) return limit;
  throw new TroupeError("invalid_request", `limit must be an integer from 1 to ${largestPage}.`);
}

/** Returns the number of the turn after which a page begins; a wrong one is `invalid_request`. */
export function checkAfter(after = 0): number {
  if (isCount(after) && after <= largestNumber) return after;
  throw new TroupeError("invalid_request", "after must be the number of a turn: pass `next` of the page before.");
}
