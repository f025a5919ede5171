import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTextTokens } from "../sessions/history/estimate-tokens.ts";
import { splitText } from "./split-text.ts";
import { longText } from "./test/long-text.ts";

const split = (text: string, size: number, overlap = 0) =>
  [...splitText(text, { size, overlap })].map(({ start, end }) => text.slice(start, end));

const graphemes = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

describe("splitText", () => {
  it("cuts at the ends of paragraphs where there are any [knowledge.chunking]", () => {
    const pieces = split(longText(40), 75);

    expect(pieces.join("")).toBe(longText(40));
    expect(pieces.length).toBeGreaterThan(5);
    for (const piece of pieces.slice(0, -1)) expect(piece).toMatch(/\.\n\n$/);
  });

  it.each([
    ["English", "It rains in Oslo today. The sun shines in Rome! Does it snow? It does. ", /[.!?] $/],
    ["Chinese", "今天奥斯陆下雨。罗马阳光明媚！特罗姆瑟下雪了吗？是的。", /[。！？]$/],
    ["Japanese with quotations", "彼は「雨が降る。」と言った。それは本当だった。", /。」?$/],
    ["Hindi", "आज ओस्लो में बारिश हो रही है। रोम में धूप है। ", /। $/],
    ["Arabic", "هل تمطر في أوسلو؟ الشمس مشرقة في روما. ", /[.؟] $/],
    ["lines without signs", "one line of a list\nanother line of it\n", /\n$/],
  ])("cuts at the ends of sentences in %s", (_, text, end) => {
    const pieces = split(text.repeat(20), 60);

    expect(pieces.join("")).toBe(text.repeat(20));
    for (const piece of pieces) expect(piece).toMatch(end);
  });

  it.each<[string, string, string]>([
    ["a quotation", '"It rains," he said. ', '"'],
    ["a quotation that ends the sentence", 'He said "it rains today." ', "H"],
    ["a quotation after another", '"It rains today." ', '"'],
    ["emphasis", "*It* rains in Oslo today. ", "*"],
    ["strong emphasis that ends the sentence", "**It rains in Oslo.** ", "*"],
    ["underscores", "_It rains_ in Oslo today. ", "_"],
    ["an apostrophe", "'Tis raining in Oslo now. ", "'"],
    ["a bracket", "(It rains in Oslo today.) ", "("],
    ["a line of a list", "* one line of a list\n", "*"],
    ["a line of a quotation", '"one line of a poem"\n', '"'],
    ["a paragraph", "*One* paragraph of words.\n\n", "*"],
  ])("leaves the signs that open %s with it, and those that close it too", (_, unit, sign) => {
    for (const overlap of [0, 15]) {
      const pieces = split(unit.repeat(40), 60, overlap);

      expect(pieces.length).toBeGreaterThan(3);
      for (const piece of pieces) {
        expect(piece.startsWith(sign)).toBe(true);
        expect(piece).toBe(unit.repeat(piece.length / unit.length));
      }
    }
  });

  it("leaves a sign that opens with its word", () => {
    for (const piece of split('"word ", *word* '.repeat(100), 20)) expect(piece).not.toMatch(/ ["*]$/);
    for (const piece of split("“雨が降る” ".repeat(100), 20)) expect(piece).toMatch(/^“.*” $/);
  });

  it.each<[string, number, string[]]>([
    ["AA", 1, ["AA"]],
    ["AAA", 1, ["AA", "A"]],
    ["雨雨", 2, ["雨雨"]],
    ["雨雨雨", 2, ["雨雨", "雨"]],
    ["雨A", 2, ["雨A"]],
    ["A雨", 1, ["A", "雨"]],
    ["😀", 3, ["😀"]],
    ["😀😀", 6, ["😀😀"]],
    ["😀😀", 5, ["😀", "😀"]],
    ["😀A", 1, ["😀", "A"]],
    ["", 1, []],
  ])("fills each piece of %j up to exactly %i tokens", (text, size, pieces) => {
    expect(split(text, size)).toEqual(pieces);
  });

  it.each<[string, string, number, string[]]>([
    ["not at a break after exactly half of the size", "、雨雨", 2, ["、雨", "雨"]],
    ["at a break after more than half of the size", "雨、A雨", 3, ["雨、", "A雨"]],
    ["at the last of several breaks", "雨、A、B雨", 4, ["雨、A、", "B雨"]],
    ["at a sentence end before a later word end", "雨。A、B雨", 3, ["雨。", "A、B雨"]],
    ["at a paragraph end before a later sentence end", "雨雨\n\nA。B雨", 4, ["雨雨\n\n", "A。B雨"]],
  ])("cuts %s", (...[, text, size, pieces]) => {
    expect(split(text, size)).toEqual(pieces);
  });

  it("cuts after each kind of space and of line end, but not after a no-break space", () => {
    for (const sign of " \t\r\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u205f\u3000") {
      expect(split(`AAAA${sign}AAAAA`, 4)).toEqual([`AAAA${sign}`, "AAAAA"]);
    }
    for (const sign of "\n\v\f\u0085\u2028\u2029") {
      expect(split(`AAAA${sign}A AAAAA`, 4)).toEqual([`AAAA${sign}`, "A AAAAA"]);
    }
    for (const sign of "\u00a0\u2007\u202f") expect(split(`AAAA${sign}AAAAA`, 4)[0]).toMatch(/AA$/);
  });

  it("cuts after each sign that ends a sentence, before a later word end", () => {
    for (const sign of ".!?…؟۔।॥።፧፨။។") {
      expect(split(`AAAA${sign} A AAAAA`, 4)).toEqual([`AAAA${sign} `, "A AAAAA"]);
    }
    for (const sign of "。！？｡．") expect(split(`AAAA${sign}A AAAAA`, 4)).toEqual([`AAAA${sign}`, "A AAAAA"]);
    for (const sign of "、，；：､") expect(split(`AAAA${sign}AAAAA`, 4)).toEqual([`AAAA${sign}`, "AAAAA"]);
    for (const sign of "\"')]}*_’”»›」』）】》〉］｝") {
      expect(split(`AAAA.${sign} A AAAAA`, 5)).toEqual([`AAAA.${sign} `, "A AAAAA"]);
    }
  });

  it("repeats exactly the overlap where the text has no breaks", () => {
    const ranges = [...splitText("A".repeat(20), { size: 4, overlap: 1 })];

    expect(ranges).toEqual([
      { start: 0, end: 8 },
      { start: 6, end: 14 },
      { start: 12, end: 20 },
    ]);
    expect(split("雨".repeat(4), 2, 1)).toEqual(["雨雨", "雨雨", "雨雨"]);
  });

  it("cuts between words where a sentence is too long", () => {
    for (const piece of split("word ".repeat(500), 50)) expect(piece).toMatch(/^(word )+$/);
  });

  it.each(["👨‍👩‍👧‍👦", "🇳🇴", "e\u0301\u0323", "😀", "क्षि", "\r\n"])(
    "cuts no character in two, as in a run of %j",
    (character) => {
      for (const size of [1, 3, 7, 50]) {
        const pieces = split(character.repeat(200), size, Math.floor(size / 2));
        for (const piece of pieces) expect(graphemes(piece).every((part) => part === character)).toBe(true);
      }
    },
  );

  it("cuts a character that is longer than any real one, and no surrogate pair in it", () => {
    const pieces = split(`a${"\u0301".repeat(9000)}${"😀\u200d".repeat(3000)}`, 500, 50);

    expect(pieces.length).toBeGreaterThan(20);
    for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
  });

  it("repeats whole sentences of the piece before it, up to the overlap", () => {
    const text = "It rains in Oslo today. ".repeat(50);
    const pieces = split(text, 60, 20);

    for (const piece of pieces) expect(piece).toMatch(/^It rains/);
    const repeated = pieces.reduce((sum, { length }) => sum + length, 0) - text.length;
    expect(repeated).toBe((pieces.length - 1) * 3 * "It rains in Oslo today. ".length);
  });

  it("covers any text in order, with pieces and overlaps of at most their sizes", () => {
    const part = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(". ", "\n\n", "。", " ", "😀", "🇳🇴", "\u0301", "word", "\r\n"),
    );
    const text = fc.array(part, { maxLength: 200 }).map((parts) => parts.join(""));
    const sizes = fc
      .integer({ min: 1, max: 60 })
      .chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 0, max: Math.floor(size / 2) })));
    fc.assert(
      fc.property(text, sizes, (content, [size, overlap]) => {
        let [start, end] = [-1, 0];
        for (const range of splitText(content, { size, overlap })) {
          expect(range.start > start && range.start <= end && range.end > end).toBe(true);
          expect(estimateTextTokens(content.slice(range.start, end))).toBeLessThanOrEqual(overlap);
          const piece = content.slice(range.start, range.end);
          expect(piece.isWellFormed()).toBe(content.isWellFormed());
          const isSmall = estimateTextTokens(piece) <= size || graphemes(piece).length === 1;
          expect(isSmall).toBe(true);
          ({ start, end } = range);
        }
        expect(end).toBe(content.length);
      }),
    );
  });

  it.each(["a", "word and ", "雨", "😀", "\u0301", " ", "a\n\n", "👨‍👩‍👧‍👦"])(
    "reads each character of %j a few times, however long the text is",
    (unit) => {
      const text = unit.repeat(200_000);
      let read = 0;
      const counting = {
        length: text.length,
        charCodeAt: (index: number) => ((read += 1), text.charCodeAt(index)),
        slice: (from: number, to: number) => ((read += to - from), text.slice(from, to)),
      };
      const pieces = [...splitText(counting as string, { size: 2000, overlap: 200 })];

      expect(pieces.at(-1)?.end).toBe(text.length);
      expect(read / text.length).toBeLessThan(3);
    },
  );
});
