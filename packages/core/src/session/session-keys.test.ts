import { describe, expect, it } from "vitest";
import { memberSessionId } from "./session-id.ts";
import { ownerPrefix, memberSessionsPrefix, sessionKey, sessionIdOf, turnKey, turnNumberOf } from "./session-keys.ts";
import { ownerKey } from "../storage/owner-key.ts";

describe("session keys", () => {
  it("have the form of the contract [session.keys]", () => {
    const acme = { tenantId: "acme", userId: "ada" };

    expect(sessionKey({}, "s")).toBe("-/-/s");
    expect(turnKey(sessionKey({ tenantId: "acme" }, "s"), 7)).toBe("acme/-/s/000000000007");
    expect(turnKey(sessionKey(acme, "s"), 7)).toBe("acme/ada/s/000000000007");
    expect(sessionKey({ ...acme, verified: false }, "s")).toBe("acme/~ada/s");
    expect(ownerPrefix({ userId: "ada@example.org" })).toBe("-/ada@example.org/");
  });

  it.each([
    [undefined, "-", "-"],
    ["-", "%2D", "~-"],
    ["%2D", "%252D", "~%252D"],
    ["~a", "%7Ea", "~%7Ea"],
    ["a/b", "a%2Fb", "~a%2Fb"],
  ])("write the name %j as %s, and as an unverified user's as %s [session.keys]", (id, plain, unverified) => {
    expect(ownerKey({ tenantId: id, userId: id })).toBe(`${plain}/${plain}`);
    expect(ownerKey({ tenantId: id, userId: id, verified: false })).toBe(`${plain}/${unverified}`);
  });

  it("can be decoded", () => {
    const id = memberSessionId("team", "an agent", "run-1");

    expect(sessionIdOf(sessionKey({ tenantId: "a/b", userId: "c/d" }, id))).toBe(id);
    expect(turnNumberOf("-/-/s", turnKey("-/-/s", 12))).toBe(12);
    expect(turnNumberOf("-/-/s", "-/-/s/x")).toBeUndefined();
    expect(turnNumberOf("-/-/s", turnKey("-/-/t", 1))).toBeUndefined();
  });

  it("begin alike for the sessions of a team's members, and for no other session", () => {
    const prefix = memberSessionsPrefix(sessionKey({}, "team"));

    expect(sessionKey({}, memberSessionId("team", "ada")).startsWith(prefix)).toBe(true);
    expect(sessionKey({}, memberSessionId("team", "ada", "run-1")).startsWith(prefix)).toBe(true);
    for (const other of ["team", "team2", "team:1", "team-", "team@x"]) {
      expect(sessionKey({}, other).startsWith(prefix)).toBe(false);
    }
  });
});
