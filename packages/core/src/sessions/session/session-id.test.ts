import { describe, expect, it } from "vitest";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import {
  callersSessionId,
  checkSessionId,
  checkStoredSessionId,
  isMemberSessionId,
  memberSessionId,
} from "./session-id.ts";

describe("checkSessionId", () => {
  it.each(["a", "user_1:chat.2@x-y", "a".repeat(128), "d9428888-122b-11e1-b85c-61cd3cbb3210", "...", ".a"])(
    "accepts %s [session.id-form]",
    (id) => {
      expect(checkSessionId(id)).toBe(id);
    },
  );

  it.each([
    "",
    ".",
    "..",
    "a".repeat(129),
    "a/b",
    "a#b",
    "a b",
    "a\n",
    "é",
    "%41",
    "\ud800",
    "a\u0000",
    undefined,
    null,
    7,
    ["a"],
  ])("refuses %j [session.id-form]", (id) => {
    expect(() => checkSessionId(id)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });
});

describe("memberSessionId", () => {
  it("joins the team's session, the run and the member", () => {
    expect(memberSessionId("team", "ada", "run-1")).toBe("team/run-1#ada");
    expect(memberSessionId("team", "ada")).toBe("team#ada");
  });

  it("makes an id that can be stored, but that no client can ask for", () => {
    const nested = memberSessionId(memberSessionId("team", "inner team", "run-1"), "über/#", "run-2");

    expect(checkStoredSessionId(nested)).toBe(nested);
    expect(isMemberSessionId(nested)).toBe(true);
    expect(() => checkSessionId(nested)).toThrow("sessionId");
  });

  it("makes different ids for different members, whatever they are called", () => {
    expect(memberSessionId("team", "a#b")).not.toBe(memberSessionId(memberSessionId("team", "a"), "b"));
  });
});

describe("checkStoredSessionId", () => {
  it.each([
    ["a".repeat(128), true],
    [`a#${"b".repeat(476)}`, true],
    [`a#${"b".repeat(477)}`, false],
    // Each sign of the form that a key writes with three characters.
    [`${"a/b#c".repeat(2)}${"d".repeat(462)}`, true],
    [`${"a/b#c".repeat(2)}${"d".repeat(463)}`, false],
    [`a#${"%41".repeat(95)}b`, true],
    [`a#${"%41".repeat(95)}bb`, false],
  ])("takes the id as long as its key has room for it: %s, %s", (id, isTaken) => {
    const taken = (() => {
      try {
        return checkStoredSessionId(id);
      } catch (error) {
        return (error as TroupeError).code;
      }
    })();
    expect(taken).toBe(isTaken ? id : "invalid_request");
  });

  it.each([".", "..", "a/b", "a#", "#a", "a//b#c", "a#b c", `a#${"b".repeat(750)}`])("refuses %s", (id) => {
    expect(() => checkStoredSessionId(id)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });
});

it.each([
  ["s", "s", false],
  ["a.b:c@d-e", "a.b:c@d-e", false],
  ["s#ada", "s", true],
  ["s/run-1#ada", "s", true],
  ["s/run-1#a/run-2#b", "s", true],
  ["s#a#b", "s", true],
])("%s is the session %s of its caller, and one of a member: %s", (id, callers, isMember) => {
  expect(callersSessionId(id)).toBe(callers);
  expect(isMemberSessionId(id)).toBe(isMember);
});
