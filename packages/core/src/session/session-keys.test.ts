import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberSessionId } from "./session-id.ts";
import { factsOf, memberSessionsOf, sessionKey, sessionOfKey, tenantPart, turnKey, turnOfKey } from "./session-keys.ts";

const name = fc.oneof(
  fc.constantFrom("-", "%2D", "a", "a/b", "a:b", "b:c", "a%", "_", "é", "e\u0301", "..", "\u0000"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
);
const tenant = fc.option(name, { nil: undefined });

describe("session keys", () => {
  it("differ when tenant or session do", () => {
    const keys = new Map<string, string>();
    fc.assert(
      fc.property(tenant, name, (tenantId, sessionId) => {
        const key = sessionKey(tenantId, sessionId);
        const parts = JSON.stringify([tenantId ?? null, sessionId]);
        if (keys.has(key)) return keys.get(key) === parts;
        keys.set(key, parts);
        return true;
      }),
      { numRuns: 100_000 },
    );
  });

  it("have the form of the contract", () => {
    expect(sessionKey(undefined, "s")).toBe("-/s");
    expect(turnKey(sessionKey("acme", "s"), 7)).toBe("acme/s/000000000007");
    expect(factsOf(undefined, "ada@example.org")).toBe("-/ada@example.org/");
  });

  it("differ between no tenant and a tenant called -", () => {
    expect(tenantPart(undefined)).toBe("-");
    expect(tenantPart("-")).toBe("%2D");
    expect(tenantPart("%2D")).toBe("%252D");
  });

  it("can be decoded", () => {
    const id = memberSessionId("team", "an agent", "run-1");

    expect(sessionOfKey(sessionKey("a/b", id))).toBe(id);
    expect(turnOfKey("-/s", turnKey("-/s", 12))).toBe(12);
    expect(turnOfKey("-/s", "-/s/x")).toBeUndefined();
    expect(turnOfKey("-/s", turnKey("-/t", 1))).toBeUndefined();
  });

  it("begin alike for the sessions of a team's members, and for no other session", () => {
    const prefix = memberSessionsOf(sessionKey(undefined, "team"));

    expect(sessionKey(undefined, memberSessionId("team", "ada")).startsWith(prefix)).toBe(true);
    expect(sessionKey(undefined, memberSessionId("team", "ada", "run-1")).startsWith(prefix)).toBe(true);
    for (const other of ["team", "team2", "team:1", "team-", "team@x"]) {
      expect(sessionKey(undefined, other).startsWith(prefix)).toBe(false);
    }
  });
});
