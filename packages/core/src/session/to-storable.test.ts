import { expect, it } from "vitest";
import { toStorable } from "./to-storable.ts";

it("copies data as it is", () => {
  const value = { text: "a", list: [1, null, { deep: true }] };

  expect(toStorable(value)).toStrictEqual(value);
  expect(toStorable(value)).not.toBe(value);
});

it("makes plain what a vendor's library made of classes, and leaves out what has no value", () => {
  class Usage {
    tokens = 1;
    none = undefined;
  }

  expect(toStorable({ usage: new Usage(), [Symbol("state")]: 1 })).toStrictEqual({ usage: { tokens: 1 } });
});

it("mends halves of characters, in names too", () => {
  expect(toStorable({ "\ud83d": ["\ude00"] })).toStrictEqual({ "\ufffd": ["\ufffd"] });
});

it("keeps a member called __proto__ a member", () => {
  const value = JSON.parse('{"__proto__":{"a":1}}') as object;

  expect(JSON.stringify(toStorable(value))).toBe('{"__proto__":{"a":1}}');
});
