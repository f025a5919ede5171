import { describe, expect, it } from "vitest";
import { CitationMarks, withoutMarks } from "./citation-marks.ts";

/** Accepts the numbers of three sources. */
const ofThree = (cited: number) => (cited >= 1 && cited <= 3 ? cited : undefined);

const checked = (text: string) => CitationMarks.replace(text, ofThree);

describe("CitationMarks", () => {
  it.each([
    ["It rains [1].", "It rains [1]."],
    ["It rains [4].", "It rains."],
    ["It rains[0] today", "It rains today"],
    ["It rains [1][7][2].", "It rains [1][2]."],
    ["It rains [1, 9,3].", "It rains [1, 3]."],
    ["It rains [8, 9].", "It rains."],
    ["[5] It rains", " It rains"],
    ["[1]: a list", "[1]: a list"],
    ["In [2024] and [ 7 ]", "In [2024] and [ 7 ]"],
    [String.raw`Escaped \[7]`, String.raw`Escaped \[7]`],
    ["[7](https://a.example) is a link", "[7](https://a.example) is a link"],
    ["unfinished [7", "unfinished [7"],
    ["", ""],
  ])("makes %j %j", (text, expected) => {
    expect(checked(text)).toBe(expected);
  });

  it.each(["`list[7]` and ``a ` b[8]``", "```js\nlist[7]; // `[8]\n\n[9]\n```\n", "````\n```\n[9]\n````"])(
    "leaves numbers in the code %j",
    (text) => {
      expect(checked(text)).toBe(text);
      expect(checked(`${text} [9] [1]`)).toBe(`${text} [1]`);
    },
  );

  it("ends an unclosed code span with its paragraph", () => {
    expect(checked("a ` b [9]\n\nc [9] [1]")).toBe("a ` b [9]\n\nc [1]");
  });

  it("gives the same text however it arrives in pieces", () => {
    const text = String.raw`A [1] b [9], c[1, 8] \[7] ` + "`x[9]` [2](u) [3]\n \n```\n[9]\n``` end [9";
    for (let size = 1; size < 12; size++) {
      const marks = new CitationMarks(ofThree);
      let result = "";
      for (let at = 0; at < text.length; at += size) result += marks.push(text.slice(at, at + size));
      result += marks.end();

      expect([size, result]).toEqual([size, checked(text)]);
      expect(marks.wrong).toEqual([9, 8]);
    }
  });

  it("holds no more than the beginning of a mark", () => {
    const marks = new CitationMarks(ofThree);

    expect([marks.push("Rain"), marks.push(" falls ["), marks.push("1"), marks.push("]"), marks.push(".")]).toEqual([
      "Rain",
      " falls",
      "",
      "",
      " [1].",
    ]);
    expect(marks.push(`[${"1, ".repeat(40)}`)).not.toBe("");
  });

  it("replaces numbers by those of another list", () => {
    expect(CitationMarks.replace("a [1] b [2]", (cited) => cited + 4)).toBe("a [5] b [6]");
  });
});

describe("withoutMarks", () => {
  it("leaves no mark in a text, and changes nothing else", () => {
    const text = "See [1], [2, 3] and a[4], not [2024], [x] or [ 5 ].";

    expect(withoutMarks(text)).toBe("See [ 1 ], [ 2, 3 ] and a[ 4 ], not [2024], [x] or [ 5 ].");
    expect(CitationMarks.replace(withoutMarks(text), () => undefined)).toBe(withoutMarks(text));
  });
});
