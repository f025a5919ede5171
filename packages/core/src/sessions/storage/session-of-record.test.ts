import { describe, expect, it } from "vitest";
import { ownerKey } from "./owner-key.ts";
import {
  indexKeyOf,
  indexNamespace,
  listNamespace,
  ownerOfSession,
  sessionNamespaces,
  sessionOf,
  turnNamespaces,
} from "./session-of-record.ts";

it("sessionOfRecord knows the namespaces in which sessions have records", () => {
  expect(sessionNamespaces).toEqual([
    "sessions",
    "turns",
    "turn-parts",
    "session-forks",
    "memory",
    "locks",
    "session-shares",
  ]);
  expect(turnNamespaces).toEqual(["turns", "turn-parts"]);
  expect([listNamespace, indexNamespace]).toEqual(["session-recent", "memory-by-id"]);
});

describe("the session of a record", () => {
  it.each(sessionNamespaces)("the session of a record in %s is what stands before the third slash", (namespace) => {
    expect(sessionOf(namespace, "acme/ada/s")).toBe("acme/ada/s");
    expect(sessionOf(namespace, "acme/ada/s/000000000001")).toBe("acme/ada/s");
    expect(sessionOf(namespace, "acme/ada/s/1/0/x:1")).toBe("acme/ada/s");
    expect(sessionOf(namespace, "-/~ada/s%2Ft")).toBe("-/~ada/s%2Ft");
    expect(sessionOf(namespace, "acme/ada")).toBeUndefined();
    expect(sessionOf(namespace, "acme")).toBeUndefined();
  });

  it.each([
    ["session-recent", "acme/ada/0000000000000001/s", "acme/ada/s"],
    ["session-recent", "-/-/1/s", "-/-/s"],
    ["session-recent", "acme/ada/s", undefined],
    ["session-recent", "acme/ada/1/s/more", undefined],
    ["session-recent", "", undefined],
    ["memory-by-id", "s/acme/ada", "acme/ada/s"],
    ["memory-by-id", "s/-/~ada", "-/~ada/s"],
    ["memory-by-id", "s/*", "*/*/s"],
    ["memory-by-id", "s/acme", undefined],
    ["memory-by-id", "s/acme/ada/more", undefined],
    ["memory-by-id", "s", undefined],
    ["facts", "acme/ada/s", undefined],
    ["runs", "acme/ada/s", undefined],
    ["", "acme/ada/s", undefined],
    ["constructor", "acme/ada/s", undefined],
  ])("the session of a record in %s under %j is %s", (namespace, key, session) => {
    expect(sessionOf(namespace, key)).toBe(session);
  });

  it.each([
    ["acme/ada/s", "s/acme/ada"],
    ["-/~ada/s", "s/-/~ada"],
    ["-/-/s", "s/-/-"],
    ["*/*/s", "s/*"],
  ])("%s has its memory under %s, and is found by that", (session, key) => {
    expect(indexKeyOf(session)).toBe(key);
    expect(sessionOf(indexNamespace, key)).toBe(session);
  });
});

describe("the owner that a session counts for", () => {
  it.each([
    ["acme/ada/s", ownerKey({ tenantId: "acme", userId: "ada" })],
    ["-/ada/s", ownerKey({ userId: "ada" })],
    ["-/%2D/s", ownerKey({ userId: "-" })],
    ["-/~ada/s", ownerKey({})],
    ["acme/~ada/s", ownerKey({})],
    ["acme/-/s", ownerKey({})],
    ["-/-/s", ownerKey({})],
  ])("the owner that a session counts for of %s is %s", (session, owner) => {
    expect(ownerOfSession(session)).toBe(owner);
  });
});
