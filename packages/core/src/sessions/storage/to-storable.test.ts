import { expect, it } from "vitest";
import { toJson } from "./check-json.ts";
import { forceStorable, toStorable } from "./to-storable.ts";

it("toStorable copies plain data unchanged", () => {
  const value = { text: "a", list: [1, null, { deep: true }] };

  expect(toStorable(value)).toStrictEqual(value);
  expect(toStorable(value)).not.toBe(value);
});

it("toStorable turns instances of classes into plain objects, and drops symbols and undefined", () => {
  class Usage {
    tokens = 1;
    none = undefined;
  }

  expect(toStorable({ usage: new Usage(), [Symbol("state")]: 1 })).toStrictEqual({ usage: { tokens: 1 } });
});

it("toStorable replaces unpaired surrogates, in member names too", () => {
  expect(toStorable({ "\ud83d": ["\ude00"] })).toStrictEqual({ "\ufffd": ["\ufffd"] });
});

it("toStorable keeps a member called __proto__", () => {
  const value = JSON.parse('{"__proto__":{"a":1}}') as object;

  expect(JSON.stringify(toStorable(value))).toBe('{"__proto__":{"a":1}}');
});

it("forceStorable puts null in place of what no storage takes", () => {
  const nest = (levels: number): unknown => (levels === 0 ? 1 : { in: nest(levels - 1) });
  const value = { sizes: [Infinity, NaN, 1n, undefined, Symbol("x")], half: "\ud83d", deep: nest(80) };
  const stored = forceStorable(value);

  expect(stored).toMatchObject({ sizes: [null, null, null, null, null], half: "\ufffd" });
  expect(toJson(stored)).toEqual(stored);
});
