import { describe, expect, it } from "vitest";
import { checkOwner, mayUse } from "./session-owner.ts";

describe("checkOwner", () => {
  it("leaves out absent names", () => {
    expect(checkOwner({ tenantId: undefined, userId: "ada" })).toStrictEqual({ userId: "ada" });
  });

  it.each(["", "\ud800", "a".repeat(256), "é".repeat(50), 7, null])("refuses the user id %j", (userId) => {
    const owner = { userId } as { userId: string };

    expect(() => checkOwner(owner)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });
});

describe("mayUse", () => {
  const table: [owner: string | undefined, caller: string | undefined, may: boolean][] = [
    ["ada", "ada", true],
    ["ada", "bob", false],
    ["ada", undefined, false],
    [undefined, "bob", true],
    [undefined, undefined, true],
  ];

  it.each(table)("given the owner %s and the caller %s, returns %s", (owner, caller, may) => {
    expect(mayUse({ userId: owner }, { userId: caller })).toBe(may);
  });

  it("keeps tenants apart, with and without a user", () => {
    expect(mayUse({ tenantId: "a" }, { tenantId: "b" })).toBe(false);
    expect(mayUse({ tenantId: "a", userId: "ada" }, { userId: "ada" })).toBe(false);
    expect(mayUse({}, { tenantId: "a" })).toBe(false);
  });
});
