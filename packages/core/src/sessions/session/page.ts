import { integerOption, optional, customOption } from "../../base/errors/option-checks.ts";
import { parseSessionCursor } from "./recent-index.ts";
import type { RecentPlace } from "./recent-index.ts";
import { checkStoredSessionId } from "./session-id.ts";
import { isCount } from "../storage/stored-record.ts";

/** Options of a listing in pages: the page size, and the cursor after which the page begins. */
export type PageOptions<Cursor> = {
  /** Maximum number of items, from 1 to 100. @default 20 */
  limit?: number | undefined;
  /** The cursor from `next` of the previous page. */
  after?: Cursor | undefined;
};

/** The maximum number of a turn or part that storage keys have room for: 12 digits. */
const largestNumber = 999_999_999_999;

const sessionPlace = customOption<string>("`next` of the page before", (value) => {
  return typeof value === "string" && parseSessionCursor(value) !== undefined;
});

const partIndex = integerOption(0, largestNumber);
const turnNumberFrom1 = integerOption(1, largestNumber);

const where = { code: "invalid_request" } as const;
const pageSize = optional(integerOption(1, 100), 20);
const turnNumber = optional(
  customOption<number>("the number of a turn, as in `next` of the page before", (value) => {
    return isCount(value) && value <= largestNumber;
  }),
  0,
);

/**
 * Returns the number of items in a page, 20 by default. Throws `invalid_request` unless it is an integer from 1 to 100.
 */
export function checkPageLimit(limit: number | undefined): number {
  return pageSize(limit, "limit", where);
}

/**
 * Returns the position after which a page of sessions begins; `undefined` for the first page. Throws `invalid_request`
 * for an invalid cursor.
 */
export function checkSessionCursor(after: string | undefined): RecentPlace | undefined {
  if (after === undefined) return undefined;
  const place = parseSessionCursor(sessionPlace(after, "after", where));
  if (place !== undefined) checkStoredSessionId(place.sessionId);
  return place;
}

/**
 * Returns the index of a part of a turn. Throws `invalid_request` unless it is an integer of 0 or more with at most 12
 * digits.
 */
export function checkPartIndex(index: number): number {
  return partIndex(index, "index", where);
}

/**
 * Returns the number of a turn. Throws `invalid_request` unless it is an integer of 1 or more with at most 12 digits.
 */
export function checkTurnNumber(seq: number, name: string): number {
  return turnNumberFrom1(seq, name, where);
}

/**
 * Returns the number of the turn after which a page begins, 0 by default. Throws `invalid_request` for a wrong number.
 */
export function checkTurnCursor(after: number | undefined): number {
  return turnNumber(after, "after", where);
}
