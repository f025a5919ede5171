import { describe, expect, it } from "vitest";
import { checkFacts, factKey, factsBlock, readFact, toUserFact } from "./user-fact.ts";

describe("factKey", () => {
  it.each([
    ["Likes tea.", "  likes   TEA "],
    ["Likes tea", "Likes tea!?…"],
    ["Cafe\u0301 visitor", "caf\u00e9 visitor."],
    ["Lives in the Goethestraße", "Lives in the GOETHESTRASSE"],
    ["\uff2c\uff49\uff4b\uff45\uff53 tea", "Likes tea"],
    ["お茶が好き。", "お茶が好き"],
  ])("is the same for %j and %j", (one, other) => {
    expect(factKey(one)).toBe(factKey(other));
  });

  it.each([
    ["Writes C", "Writes C#"],
    ["Writes C", "Writes C++"],
    ["Likes tea", "Likes teas"],
    ["!", "?"],
  ])("is different for %j and %j", (one, other) => {
    expect(factKey(one)).not.toBe(factKey(other));
  });
});

describe("checkFacts", () => {
  it("makes facts well-formed and one line each, without blank ones", () => {
    expect(checkFacts([" a\n\nb ", "", " \t", "c\u{d800}"])).toEqual(["a b", "c\ufffd"]);
  });

  it.each([["a text"], [[1]], [undefined], [["x".repeat(501)]]])("refuses %j", (facts) => {
    expect(() => checkFacts(facts)).toThrow(expect.objectContaining({ code: "invalid_value" }));
  });

  it("takes 500 characters, as they are when they are tidied, and tells the most that were given", () => {
    const longest = "x".repeat(500);
    expect(checkFacts([longest, ` ${longest} `, "a"])).toEqual([longest, longest, "a"]);
    expect(checkFacts([])).toEqual([]);
    expect(() => checkFacts(["a", "y".repeat(502), "z".repeat(501)])).toThrow(
      "Each fact must have at most 500 characters, got 502. Split it into several.",
    );
  });
});

const record = { v: 1, fact: "Likes tea.", source: "manual", createdAt: 5, order: 7 } as const;

describe("readFact", () => {
  const place = { namespace: "facts", key: "ada/1" };

  it.each([record, { ...record, source: "auto", order: -1, fact: "", createdAt: 0.5 }, { ...record, more: 1 }])(
    "returns %j",
    (value) => {
      expect(readFact(value, place)).toBe(value);
    },
  );

  it.each([
    null,
    [record],
    { ...record, v: 0 },
    { ...record, v: "1" },
    { ...record, fact: 1 },
    { ...record, source: "user" },
    { ...record, source: undefined },
    { ...record, createdAt: "2026-01-01" },
    { ...record, createdAt: Infinity },
    { ...record, order: 1.5 },
    { ...record, order: 2 ** 53 },
    { ...record, order: undefined },
  ])("refuses %j as damaged, without its text", (value) => {
    expect(() => readFact(value, place)).toThrow(
      expect.objectContaining({ code: "storage_corrupt", message: expect.not.stringContaining("tea"), fields: place }),
    );
  });
});

it("toUserFact has the id and a date, and neither version nor order", () => {
  expect(toUserFact({ ...record, id: "f1" })).toStrictEqual({
    id: "f1",
    fact: "Likes tea.",
    createdAt: new Date(5),
    source: "manual",
  });
});

it("factsBlock has a line for each fact, in order, and is empty without one", () => {
  const facts = ["Likes tea.", "<b>"].map((fact) => toUserFact({ ...record, fact, id: fact }));
  expect(factsBlock(facts)).toMatch(
    /^What is known about the user [^\n]*\n<user_facts>\n- Likes tea\.\n- &lt;b&gt;\n<\/user_facts>$/,
  );
  expect(factsBlock([])).toBe("");
});

describe("The messages about wrong facts", () => {
  it.each([["a text"], [[1]], [undefined], [[["a"]]]])("name what %j must be", (facts) => {
    expect(() => checkFacts(facts)).toThrow("facts must be an array of strings.");
  });

  it("name the version of a record that is not damaged but newer", () => {
    const place = { namespace: "facts", key: "ada/1" };
    expect(() => readFact({ ...record, v: 2 }, place)).toThrow(
      expect.objectContaining({ code: "storage_corrupt", fields: { ...place, version: 2 } }),
    );
  });
});

it.each([
  [" !? ", "!?"],
  ["a,;:. !", "a"],
  ["A: b", "a: b"],
  ["", ""],
])("factKey of %j is %j", (fact, key) => {
  expect(factKey(fact)).toBe(key);
});
