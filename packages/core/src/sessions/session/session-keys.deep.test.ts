import fc from "fast-check";
import { describe, inject, it } from "vitest";
import { sessionKey } from "./session-keys.ts";

const name = fc.oneof(
  fc.constantFrom(
    "-",
    "%2D",
    "~",
    "~a",
    "~-",
    "-/a",
    "a",
    "a/b",
    "a:b",
    "b:c",
    "a%",
    "_",
    "é",
    "e\u0301",
    "..",
    "\u0000",
  ),
  fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
);
const optionalName = fc.option(name, { nil: undefined });

describe("session keys", () => {
  it("differ when tenant, user, verification or session do", () => {
    const keys = new Map<string, string>();
    fc.assert(
      fc.property(
        fc.tuple(optionalName, optionalName, fc.boolean(), name),
        ([tenantId, userId, verified, sessionId]) => {
          const key = sessionKey({ tenantId, userId, verified }, sessionId);
          const parts = JSON.stringify([tenantId ?? null, userId ?? null, verified || userId === undefined, sessionId]);
          if (keys.has(key)) return keys.get(key) === parts;
          keys.set(key, parts);
          return true;
        },
      ),
      { numRuns: { few: 5000, many: 100_000 }[inject("trials")] },
    );
  });
});
