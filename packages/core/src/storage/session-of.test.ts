import { expect, it } from "vitest";
import { sessionOf } from "./session-of.ts";

it.each([
  ["sessions", "-/s1", "-/s1"],
  ["turns", "-/s1/000000000001", "-/s1"],
  ["memory", "acme/s1", "acme/s1"],
  ["memory", "acme/s1/", "acme/s1"],
  ["memory", "acme/s1/summaries/1", "acme/s1"],
  ["locks", "-/s1", "-/s1"],
  ["turns", "-/s1%2Frun%23member/000000000001", "-/s1%2Frun%23member"],
  ["facts", "-/u1/f1", undefined],
  ["tasks", "-/t1", undefined],
  ["toString", "-/s1", undefined],
  ["locks", "migration", undefined],
])("finds the session of %s %s", (namespace, key, session) => {
  expect(sessionOf(namespace, key)).toBe(session);
});
