import { describe, expect, it } from "vitest";
import { checkFacts, factKey } from "./user-fact.ts";

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
});
