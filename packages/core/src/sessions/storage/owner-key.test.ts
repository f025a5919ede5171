import { describe, expect, it } from "vitest";
import { isSameTenant, ownerKey, ownerOfKey, userOfKey } from "./owner-key.ts";

const owners = [
  [{}, "-/-", "none"],
  [{ userId: "ada" }, "-/ada", "verified"],
  [{ userId: "ada", verified: true }, "-/ada", "verified"],
  [{ userId: "ada", verified: undefined }, "-/ada", "verified"],
  [{ userId: "ada", verified: false }, "-/~ada", "claimed"],
  [{ tenantId: "acme" }, "acme/-", "none"],
  [{ tenantId: "acme", verified: false }, "acme/-", "none"],
  [{ tenantId: "acme", userId: "ada" }, "acme/ada", "verified"],
  [{ tenantId: "acme", userId: "ada", verified: false }, "acme/~ada", "claimed"],
  [{ tenantId: "ada", userId: "acme" }, "ada/acme", "verified"],
  [{ tenantId: "-", userId: "-" }, "%2D/%2D", "verified"],
  [{ userId: "-", verified: false }, "-/~-", "claimed"],
  [{ userId: "~ada" }, "-/%7Eada", "verified"],
  [{ tenantId: "~acme", userId: "a" }, "%7Eacme/a", "verified"],
  [{ tenantId: "a/b", userId: "c" }, "a%2Fb/c", "verified"],
  [{ tenantId: "a", userId: "b/c" }, "a/b%2Fc", "verified"],
  [{ userId: "é", verified: false }, "-/~%C3%A9", "claimed"],
  [{ userId: "__proto__" }, "-/__proto__", "verified"],
] as const;

describe("the key of an owner", () => {
  it.each(owners)("the key of an owner of %j is %s, with a user that is %s", (owner, key, user) => {
    expect(ownerKey(owner)).toBe(key);
    expect(userOfKey(ownerKey(owner))).toBe(user);
  });

  it("is another one for each owner that differs in tenant, user or verification", () => {
    const keys = owners.map(([, key]) => key);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual(["-/ada", "-/ada", "acme/-"]);
  });

  it.each(owners)("is read from a storage key of %j", (_owner, key) => {
    expect(ownerOfKey(key)).toBe(key);
    expect(ownerOfKey(`${key}/s`)).toBe(key);
    expect(ownerOfKey(`${key}/s/000000000001`)).toBe(key);
  });

  it("is that of no user where a storage key has one part", () => {
    expect(ownerOfKey("acme")).toBe("acme/-");
  });

  it.each([{ userId: "" }, { tenantId: "" }, { userId: "", verified: false }, { userId: "\ud800" }])(
    "is refused for %j",
    (owner) => {
      expect(() => ownerKey(owner)).toThrow(expect.objectContaining({ code: "invalid_value" }));
    },
  );
});

it.each([
  [{}, {}, true],
  [{ tenantId: undefined }, {}, true],
  [{ tenantId: "acme" }, { tenantId: "acme", verified: false }, true],
  [{ tenantId: "acme" }, { tenantId: "apex" }, false],
  [{ tenantId: "acme" }, {}, false],
  [{}, { tenantId: "acme" }, false],
])("%j and %j are of one tenant: %s", (one, other, isSame) => {
  expect(isSameTenant(one, other)).toBe(isSame);
});
