import { describe, expect, it } from "vitest";
import { checkOwner, toUserOwner } from "./session-owner.ts";
import type { SessionOwner } from "./session-owner.ts";

describe("checkOwner", () => {
  it("leaves out absent names", () => {
    expect(checkOwner({ tenantId: undefined, userId: "ada" })).toStrictEqual({ userId: "ada" });
  });

  it.each(["", "\ud800", "a".repeat(256), "é".repeat(50), 7, null])("refuses the user id %j", (userId) => {
    const owner = { userId } as { userId: string };

    expect(() => checkOwner(owner)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });

  it("keeps that a user is unverified, and nothing of it without a user", () => {
    expect(checkOwner({ userId: "ada", verified: false })).toStrictEqual({ userId: "ada", verified: false });
    expect(checkOwner({ userId: "ada", verified: true })).toStrictEqual({ userId: "ada" });
    expect(checkOwner({ verified: false })).toStrictEqual({});
  });

  it.each([null, 0, 1, "", "false"])("refuses %j as verified", (verified) => {
    const owner = { userId: "ada", verified } as unknown as SessionOwner;

    expect(() => checkOwner(owner)).toThrow("verified must be true or false.");
  });
});

describe("toUserOwner", () => {
  it("requires a user", () => {
    expect(toUserOwner("ada", { tenantId: "acme", verified: false })).toStrictEqual({
      tenantId: "acme",
      userId: "ada",
      verified: false,
    });
    const missing = undefined as unknown as string;
    expect(() => toUserOwner(missing, {})).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });
});
