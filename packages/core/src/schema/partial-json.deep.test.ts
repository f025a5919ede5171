import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { PartialJson } from "./partial-json.ts";

/** Returns true if a value may have grown into another: strings and arrays from their beginnings, objects by their keys. */
function extendsTo(part: unknown, whole: unknown): boolean {
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
  if (typeof part !== "object" || part === null) return Object.is(part, whole);
  if (typeof whole !== "object" || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  const [own, other] = [part as Record<string, unknown>, whole as Record<string, unknown>];
  return Object.keys(own).every((key) => Object.hasOwn(other, key) && extendsTo(own[key], other[key]));
}

/** The values that are shown of a text that comes in these pieces. */
function valuesOf(pieces: readonly string[]): unknown[] {
  const reader = new PartialJson();
  return pieces.flatMap((piece) => {
    reader.push(piece);
    const value = reader.take();
    return value === undefined ? [] : [value];
  });
}

/** JSON in which any character may be written as an escape, with any white space. */
const anyJson = fc
  .tuple(
    fc.oneof(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue({ maxDepth: 6, stringUnit: "binary" })),
    fc.constantFrom(undefined, 1, "\t"),
    fc.boolean(),
  )
  .map(([value, space, escapes]) => {
    const text = JSON.stringify(value, null, space);
    const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return escapes ? text.replace(/[^\0-\x7f]/g, escape) : text;
  });

describe("PartialJson", () => {
  it("shows of every prefix of every JSON text a value that the whole value extends [object-stream.prefix]", () => {
    fc.assert(
      fc.property(anyJson, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (text, sizes) => {
        const pieces: string[] = [];
        for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 0) {
          pieces.push(text.slice(at, at + (sizes.next().value as number)));
        }
        const shown = valuesOf(pieces);
        const whole: unknown = JSON.parse(text);

        for (const [index, value] of shown.entries()) {
          expect(extendsTo(value, shown[index + 1] ?? whole), `${JSON.stringify(value)} in ${text}`).toBe(true);
          expect(extendsTo(value, whole), `${JSON.stringify(value)} in ${text}`).toBe(true);
          expect(JSON.stringify(value), "half of a surrogate pair").not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89ab]/);
        }
        // A number or word at the root is complete only when the text is.
        const isOpenEnded = typeof whole !== "object" && typeof whole !== "string";
        expect(shown.at(-1) ?? whole).toEqual(isOpenEnded ? (shown.at(-1) ?? whole) : whole);
      }),
      { numRuns: { few: 60, many: 500 }[inject("trials")] },
    );
  });

  it("shows strings as they grow, and numbers and words when they are complete", () => {
    expect(valuesOf(["[", "1", "2,", "tr", "ue,", '"Os', 'lo"', ",nul", "l]"])).toEqual([
      [],
      [12],
      [12, true],
      [12, true, "Os"],
      [12, true, "Oslo"],
      [12, true, "Oslo", null],
    ]);
    expect(valuesOf(['{"a', '":', '{"b":1', "}}"])).toEqual([{}, { a: {} }, { a: { b: 1 } }]);
  });

  it("shows a character beyond U+FFFF when both of its halves have come, and half a pair when no other half comes [object-stream.prefix]", () => {
    expect(valuesOf(['"a\ud83d', "\ude00", 'b"'])).toEqual(["a", "a😀", "a😀b"]);
    expect(valuesOf(['"a\\ud83d', "\\ude00", 'b"'])).toEqual(["a", "a😀", "a😀b"]);
    expect(valuesOf(['{"\ud83d', '\ude00":1}'])).toEqual([{}, { "😀": 1 }]);
    expect(valuesOf(['["\\ud83d', '","', 'b"]'])).toEqual([[""], ["\ud83d", ""], ["\ud83d", "b"]]);
  });

  it("reads what surrounds an answer: white space, a byte order mark, and a code fence", () => {
    for (const text of ['\uFEFF \n{"a":1}\n', '```json\n{"a":1}\n```', '```\r\n{"a":1}```']) {
      expect(valuesOf(text.split("")).at(-1)).toEqual({ a: 1 });
    }
  });

  it.each(["Sure! {", "{a", '{"a" 1', "[1,]", "[01,", '["\\x"]', '["\n"]', "{1}", "[tru]", "]", '{"a":1]', "```js"])(
    "shows nothing further once a text is no JSON: %s",
    (text) => {
      const shown = valuesOf([...text.split(""), '"', "]", "}", " more"]);

      expect(shown.length).toBeLessThanOrEqual(3);
      expect(valuesOf([text, '{"b":2}'])).toEqual([]);
    },
  );

  it("keeps earlier values as they were, and keys like __proto__ as plain keys", () => {
    const reader = new PartialJson();
    reader.push('{"list":[1,');
    const first = reader.take();
    reader.push('2],"__proto__":{"x":1}}');
    const last = reader.take() as object;

    expect(first).toEqual({ list: [1] });
    expect(Object.keys(last)).toEqual(["list", "__proto__"]);
    expect(Object.getPrototypeOf(last)).toBe(Object.prototype);
  });

  it("does not nest deeper, and does not read further, than JSON of a model may", () => {
    expect(valuesOf(["[".repeat(65)])).toEqual([]);
    expect(valuesOf([`["${"x".repeat(1_048_576)}`])).toEqual([]);
  });

  it("takes time in proportion to the text, also of an array with many parts [object-stream.linear]", () => {
    const copiedBy = (items: number) => {
      const shown = valuesOf(["[", ...Array.from({ length: items }, (_, index) => `${index},`)]);
      return shown.reduce<number>((sum, value) => sum + (value as unknown[]).length, 0) / items;
    };

    expect(copiedBy(20_000)).toBeLessThan(1.5 * copiedBy(5000) + 100);
    expect(valuesOf(["[", ...Array.from({ length: 5000 }, () => "1,"), "1]"]).at(-1)).toHaveLength(5001);
  });
});
