import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { ownerKey } from "../storage/owner-key.ts";
import { anonymousCaller, countedCaller, hostCaller } from "./counted-caller.ts";

const keyOf = (address?: string) => countedCaller({}, address).key;

it("a verified user is counted as its owner from every address, a claimed user as an anonymous caller", () => {
  const ada = { userId: "ada" };
  expect(countedCaller(ada, "1.2.3.4")).toEqual(countedCaller({ ...ada, verified: true }));
  expect(countedCaller(ada).kind).toBe("user");
  expect(countedCaller({ ...ada, tenantId: "t" }).key).not.toBe(countedCaller(ada).key);
  expect(countedCaller({ ...ada, verified: false })).toEqual(anonymousCaller());
  expect(countedCaller({ ...ada, verified: false }, "1.2.3.4")).toEqual(countedCaller({}, "1.2.3.4"));
});

it("a verified user's key is that of the owner", () => {
  for (const owner of [{ userId: "ada" }, { userId: "ada", tenantId: "t" }]) {
    expect(countedCaller(owner)).toEqual({ kind: "user", key: ownerKey(owner) });
  }
});

it("the key of an address is that which runs were stored with before", () => {
  const hashed = (network: string) => `#${hash("sha256", network).slice(0, 16)}`;
  expect(keyOf("1.2.3.4")).toBe(hashed("1.2.3.4"));
  expect(keyOf("::ffff:1.2.3.4")).toBe(hashed("1.2.3.4"));
  expect(keyOf("2001:db8:1:2::1")).toBe(hashed("8193:3512:1:2"));
});

it.each([
  ["1.2.3.4", "1.2.3.4"],
  ["1.2.3.4", "::ffff:1.2.3.4"],
  ["1.2.3.4", "::FFFF:102:304"],
  ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"],
  ["2001:db8::1", "2001:db8:0:0:1::"],
  ["fe80::1%eth0", "fe80::2%eth1"],
  ["::1", "::2"],
])("%s and %s are one caller", (one, other) => {
  expect(keyOf(one)).toBe(keyOf(other));
});

it.each([
  ["1.2.3.4", "1.2.3.5"],
  ["::ffff:1.2.3.4", "::ffff:1.2.3.5"],
  ["::ffff:1.2.3.4", "::1.2.3.4"],
  ["2001:db8:1:2::1", "2001:db8:1:3::1"],
  ["2001:db8:1:2::1", "2001:db9:1:2::1"],
  ["1.2.3.4", "unknown"],
])("%s and %s are two", (one, other) => {
  expect(keyOf(one)).not.toBe(keyOf(other));
});

it.each([undefined, "", "unknown", "1.2.3", "example.org"])(
  "callers at no address, such as %j, are counted together",
  (address) => {
    expect(countedCaller({}, address)).toEqual({ kind: "anonymous", key: "#" });
  },
);

it("no key tells an address, nor is one that of the host", () => {
  for (const address of ["1.2.3.4", "2001:db8:1:2::1"]) expect(keyOf(address)).toMatch(/^#[\da-f]{16}$/);
  expect(hostCaller).toEqual({ kind: "host", key: "#host" });
});
