import { describe, expect, it } from "vitest";
import { cacheKey } from "./tool-cache.ts";
import { contextOf } from "./test/batch.ts";

describe("cacheKey", () => {
  it("is the same for equal arguments in any order", () => {
    const context = contextOf();

    expect(cacheKey("a", { x: 1, y: [2, { z: -0 }] }, context)).toBe(
      cacheKey("a", { y: [2, { z: 0 }], x: 1 }, context),
    );
    expect(cacheKey("a", { x: 1 }, context)).toBe(cacheKey("a", { x: 1 }, contextOf({ runId: "run-2" })));
  });

  it("differs by tool, arguments, user, tenant and keys", () => {
    const keys = [
      cacheKey("a", {}, contextOf()),
      cacheKey("b", {}, contextOf()),
      cacheKey("a", { x: "1" }, contextOf()),
      cacheKey("a", { x: 1 }, contextOf()),
      cacheKey("a", {}, contextOf({ userId: "eve" })),
      cacheKey("a", {}, contextOf({ userId: "eve", verified: false })),
      cacheKey("a", {}, contextOf({ tenantId: "eve" })),
      cacheKey("a", {}, contextOf({ userId: "eve", tenantId: "eve" })),
      cacheKey("a", {}, contextOf({ apiKeys: { openai: "key-1" } })),
      cacheKey("a", {}, contextOf({ apiKeys: { google: "key-1" } })),
      cacheKey("a", {}, contextOf({ apiKeys: { openai: "key-2" } })),
    ];

    expect(new Set(keys).size).toBe(keys.length);
  });

  it("holds neither keys nor arguments", () => {
    const key = cacheKey("a", { text: "a".repeat(100_000) }, contextOf({ apiKeys: { openai: "sk-secret" } }));

    expect(key).toMatch(/^[A-Za-z\d+/]{43}=$/);
  });
});
