import { describe, expect, it } from "vitest";
import { memberSessionId } from "./session-id.ts";
import {
  keyPrefixOf,
  memberSessionsPrefix,
  memoriesPrefix,
  memoryEntryKey,
  memoryEntrySession,
  namespaces,
  ownerPrefix,
  sessionIdOf,
  sessionKey,
  sessionRef,
  turnKey,
  turnNumberOf,
} from "./session-keys.ts";
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

  it("stand in the namespaces that earlier releases have stored in", () => {
    expect(namespaces).toEqual({
      sessions: "sessions",
      recent: "session-recent",
      turns: "turns",
      turnParts: "turn-parts",
      forks: "session-forks",
      memory: "memory",
      memoryById: "memory-by-id",
      facts: "facts",
      shares: "shares",
      sessionShares: "session-shares",
      probe: "probe",
      locks: "locks",
    });
  });

  it("session keys of one session are made of its id and its whole owner", () => {
    const owner = { tenantId: "acme", userId: "ada", verified: false };
    expect(sessionRef(owner, "s#m")).toEqual({ key: "acme/~ada/s%23m", sessionId: "s#m", owner });
    expect(ownerPrefix(owner)).toBe("acme/~ada/");
    expect(keyPrefixOf("acme/~ada/s")).toBe("acme/~ada/s/");
    expect(memberSessionsPrefix("acme/~ada/s")).toBe("acme/~ada/s%");
  });

  it.each([
    ["-/-/s", "s/-/-"],
    ["acme/ada/s", "s/acme/ada"],
    ["acme/~ada/s%23m", "s%23m/acme/~ada"],
    ["a%2Fb/c%2Fd/s", "s/a%2Fb/c%2Fd"],
  ])("session keys of the memory of %s is %s by its id, and is read again", (session, entry) => {
    expect(memoryEntryKey(session)).toBe(entry);
    expect(memoryEntrySession(entry)).toBe(session);
    expect(entry.startsWith(memoriesPrefix(sessionIdOf(session)))).toBe(true);
  });

  it("session keys of all memories of one id begin with that id alone", () => {
    expect(memoriesPrefix("s")).toBe("s/");
    expect(memoriesPrefix("s#m")).toBe("s%23m/");
    expect(memoryEntryKey("-/-/s2").startsWith(memoriesPrefix("s"))).toBe(false);
  });

  it.each([
    ["-/-/s/000000000001", 1],
    ["-/-/s/999999999999", 999_999_999_999],
    ["-/-/s/0000000000012", undefined],
    ["-/-/s/00000000001", undefined],
    ["-/-/s/000000000001/0", undefined],
    ["-/-/s2/000000000001", undefined],
    ["-/-/s", undefined],
  ])("%s has the number %s of a turn", (key, number) => {
    expect(turnNumberOf("-/-/s", key)).toBe(number);
  });
});
