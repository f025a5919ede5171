import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeKey, decodeSequence, encodeKey, encodeSequence } from "./encode-key.ts";

const character = fc.oneof(
  fc.constantFrom("/", "%", "2", "F", ".", "-", "#", "\0", " "),
  fc.string({ unit: "binary" }),
);
const part = fc.string({ unit: character, minLength: 1 }).filter((text) => text !== "" && text.isWellFormed());
const parts = fc.array(part, { minLength: 1, maxLength: 4 });

describe("encodeKey", () => {
  it.each([
    [["-", "s1"], "-/s1"],
    [["acme", "a/b#c", 7], "acme/a%2Fb%23c/000000000007"],
    [["tenant@example.org:1.0_x"], "tenant@example.org:1.0_x"],
    [["ü😀 %"], "%C3%BC%F0%9F%98%80%20%25"],
    [["!~*'()"], "%21%7E%2A%27%28%29"],
    [[".", ".."], "./.."],
    [["\0"], "%00"],
  ])("encodes %j as %s", (given, key) => {
    expect(encodeKey(...given)).toBe(key);
  });

  it("makes different keys from different parts, and decodeKey returns them", () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        expect(decodeKey(encodeKey(...one))).toEqual(one);
        expect(encodeKey(...one) === encodeKey(...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  it("makes keys of ASCII characters only", () => {
    fc.assert(
      fc.property(parts, (given) => {
        expect(encodeKey(...given)).toMatch(/^[\w.:@%/-]+$/);
      }),
    );
  });

  it("orders keys by their sequence numbers", () => {
    const sequence = fc.nat({ max: 999_999_999_999 });

    fc.assert(
      fc.property(sequence, sequence, (one, other) => {
        expect(encodeKey("s", one) < encodeKey("s", other)).toBe(one < other);
        expect(decodeSequence(encodeSequence(one))).toBe(one);
      }),
    );
  });

  it.each([[""], ["\ud800"], [-1], [1.5], [NaN], [1_000_000_000_000]])("refuses the part %o", (given) => {
    expect(() => encodeKey("a", given)).toThrow(expect.objectContaining({ code: "invalid_value" }));
  });
});

describe("decodeKey", () => {
  it("refuses a key with a broken encoding", () => {
    expect(() => decodeKey("a/%zz")).toThrow(expect.objectContaining({ code: "invalid_value" }));
  });
});

describe("decodeSequence", () => {
  it.each(["", "1", "0000000000001", "00000000000a", "000000000001 ", "-00000000001"])(
    "returns undefined for %j",
    (text) => {
      expect(decodeSequence(text)).toBeUndefined();
    },
  );
});
