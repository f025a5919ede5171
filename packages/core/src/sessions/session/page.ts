import { integer, optional, satisfying } from "../../base/errors/option-checks.ts";
import { parseSessionCursor } from "./recent-index.ts";
import type { RecentPlace } from "./recent-index.ts";
import { checkStoredSessionId } from "./session-id.ts";
import { isCount } from "../storage/stored-record.ts";

/** Options of a listing in pages: the size of the page, and the cursor after which it begins. */
export type PageOptions<Cursor> = {
  /** Number of items, from 1 to 100. @default 20 */
  limit?: number | undefined;
  /** `next` of the page before. */
  after?: Cursor | undefined;
};

/** Keys have room for 12 digits. */
const largestNumber = 999_999_999_999;

const sessionPlace = satisfying<string>("`next` of the page before", (value) => {
  return typeof value === "string" && parseSessionCursor(value) !== undefined;
});

const partIndex = integer(0, largestNumber);
const turnNumberFrom1 = integer(1, largestNumber);

const where = { code: "invalid_request" } as const;
const pageSize = optional(integer(1, 100), 20);
const turnNumber = optional(
  satisfying<number>("the number of a turn, as in `next` of the page before", (value) => {
    return isCount(value) && value <= largestNumber;
  }),
  0,
);

/**
 * Returns the number of items in a page, 20 by default; throws `invalid_request` for all but an integer from 1 to 100.
 */
export function checkPageLimit(limit: number | undefined): number {
  return pageSize(limit, "limit", where);
}

/**
 * Returns the place after which a page of sessions begins, `undefined` for the first page; throws `invalid_request` for
 * what is no cursor.
 */
export function checkSessionCursor(after: string | undefined): RecentPlace | undefined {
  if (after === undefined) return undefined;
  const place = parseSessionCursor(sessionPlace(after, "after", where));
  if (place !== undefined) checkStoredSessionId(place.sessionId);
  return place;
}

/** Returns the number of a part of a turn; throws `invalid_request` for all but an integer of 0 or more. */
export function checkPartIndex(index: number): number {
  return partIndex(index, "index", where);
}

/** Returns the number of a turn; throws `invalid_request` for all but an integer of 1 or more. */
export function checkTurnNumber(seq: number, name: string): number {
  return turnNumberFrom1(seq, name, where);
}

/** Returns the number of the turn after which a page begins, 0 by default; throws `invalid_request` for a wrong one. */
export function checkTurnCursor(after: number | undefined): number {
  return turnNumber(after, "after", where);
}
