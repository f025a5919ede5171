import { expect, it } from "vitest";
import { lastWrites } from "./record-steps.ts";

it("lastWrites leaves the last write to each record, in one order whatever the order of the writes", () => {
  const write = (namespace: string, key: string, text: string | null) => ({ namespace, key, text });
  const writes = [write("b", "k", "1"), write("a", "k", "2"), write("b", "k", null), write("a", "j", "3")];

  expect(lastWrites(writes)).toEqual([write("a", "j", "3"), write("a", "k", "2"), write("b", "k", null)]);
});
