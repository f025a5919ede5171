import { describe, expect, it } from "vitest";
import { checkPageLimit, checkPartIndex, checkSessionCursor, checkTurnCursor, checkTurnNumber } from "./page.ts";

const largest = 999_999_999_999;
const refused = (name: string) =>
  expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(name) });

describe.each([
  { name: "limit", check: checkPageLimit, least: 1, most: 100 },
  { name: "index", check: checkPartIndex, least: 0, most: largest },
  { name: "from", check: (value: number) => checkTurnNumber(value, "from"), least: 1, most: largest },
  { name: "after", check: checkTurnCursor, least: 0, most: largest },
])("$name", ({ name, check, least, most }) => {
  it.each([least, least + 1, most])("may be %i", (value) => {
    expect(check(value)).toBe(value);
  });

  it.each([least - 1, most + 1, least + 0.5, Number.NaN, "1" as never, null as never])("may not be %s", (value) => {
    expect(() => check(value)).toThrow(refused(name));
  });
});

it("a page has 20 items, from the first turn on, unless something else is asked for", () => {
  expect(checkPageLimit(undefined)).toBe(20);
  expect(checkTurnCursor(undefined)).toBe(0);
  expect(checkSessionCursor(undefined)).toBeUndefined();
});

it.each(["", "é", "1", null as never, 7 as never])("the place %j begins no page of sessions", (after) => {
  expect(() => checkSessionCursor(after)).toThrow(refused("after"));
});

it.each([
  ["5~s", { recency: 5, sessionId: "s" }],
  ["0~s/1#a", { recency: 0, sessionId: "s/1#a" }],
])("the place %j begins a page of sessions behind %j", (after, place) => {
  expect(checkSessionCursor(after)).toEqual(place);
});

it("a place of a session id that cannot be stored begins no page", () => {
  expect(() => checkSessionCursor("5~a b")).toThrow(refused("sessionId"));
});

it.each([
  ["checkPageLimit", () => checkPageLimit(0), "limit must be an integer from 1 to 100, got 0."],
  ["checkPartIndex", () => checkPartIndex(-1), "index must be an integer from 0 to 999999999999, got -1."],
  ["checkTurnNumber", () => checkTurnNumber(0, "from"), "from must be an integer from 1 to 999999999999, got 0."],
  [
    "checkTurnCursor",
    () => checkTurnCursor(-1),
    "after must be the number of a turn, as in `next` of the page before, got -1.",
  ],
  [
    "checkSessionCursor of a string",
    () => checkSessionCursor("x"),
    "after must be `next` of the page before, got a string.",
  ],
  [
    "checkSessionCursor of a number",
    () => checkSessionCursor(7 as never),
    "after must be `next` of the page before, got 7.",
  ],
])("%s says what it expected", (_name, check, message) => {
  expect(check).toThrow(expect.objectContaining({ code: "invalid_request", message }));
});
