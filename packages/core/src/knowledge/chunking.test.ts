import { describe, expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { estimateTextTokens } from "../sessions/history/estimate-tokens.ts";
import { createSplitter } from "./chunking.ts";
import type { Chunking } from "./chunking.ts";
import type { TextRange } from "./split-text.ts";
import { longText } from "./test/long-text.ts";

const tokensOf = (text: string, ranges: readonly TextRange[] = []) =>
  ranges.map(({ start, end }) => estimateTextTokens(text.slice(start, end)));

describe("createSplitter", () => {
  it("splits texts of more than 2000 tokens into pieces of 2000 with 200 repeated [knowledge.chunking]", () => {
    const split = createSplitter();
    const [most, more] = ["word ".repeat(1754), "word ".repeat(1755)];
    expect([most, more].map(estimateTextTokens)).toEqual([2000, 2001]);

    expect(split?.(most)).toBeUndefined();
    expect(split?.(more)).toHaveLength(2);
    const text = longText(1000);
    const ranges = split?.(text) ?? [];
    expect(Math.max(...tokensOf(text, ranges))).toBeGreaterThan(1900);
    expect(Math.max(...tokensOf(text, ranges))).toBeLessThanOrEqual(2000);
    const overlaps = ranges.slice(1).map(({ start }, index) => ({ start, end: ranges[index]?.end ?? 0 }));
    expect(Math.min(...tokensOf(text, overlaps))).toBeGreaterThan(150);
    expect(Math.max(...tokensOf(text, overlaps))).toBeLessThanOrEqual(200);
  });

  it("repeats a tenth of another size, unless there is an overlap", () => {
    const text = "word ".repeat(1000);
    const repeated = (chunking: Chunking) => {
      const [one, two] = createSplitter(chunking)?.(text) ?? [];
      return ((one?.end ?? 0) - (two?.start ?? 0)) / 5;
    };

    expect(repeated({ size: 100 })).toBe(8);
    expect(repeated({ size: 100, overlap: 0 })).toBe(0);
    expect(repeated({ size: 100, overlap: 50 })).toBe(43);
    expect(repeated({ size: undefined, overlap: undefined })).toBe(0);
  });

  it("splits nothing when it is false", () => {
    expect(createSplitter(false)).toBeUndefined();
  });

  it("splits by a function, whatever the length, and leaves one piece whole [knowledge.chunking-function]", () => {
    const split = createSplitter(function* (content: string) {
      for (let start = 0; start < content.length; start += 2) yield { start, end: Math.min(start + 3, content.length) };
    });

    expect(split?.("abcdef")).toEqual([
      { start: 0, end: 3 },
      { start: 2, end: 5 },
      { start: 4, end: 6 },
    ]);
    expect(split?.("ab")).toBeUndefined();
    expect(split?.("")).toBeUndefined();
  });

  const gap = "must cover the content in order and without gaps";
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "must return an array or another iterable of { start, end }"],
    ["an object", { start: 0, end: 6 }, "must return an array"],
    ["no pieces", [], "must cover the content, but its last piece ends at 0 of 6 characters"],
    ["strings", ["abc", "def"], "must return pieces with the integers start and end"],
    ["fractions", [{ start: 0, end: 2.5 }], "must return pieces with the integers start and end"],
    [
      "a late beginning",
      [[1, 6]],
      `${gap}, but piece 0 is from 1 to 6 after an end at 0, in a content of 6 characters`,
    ],
    [
      "a gap",
      [
        [0, 2],
        [3, 6],
      ],
      `${gap}, but piece 1 is from 3 to 6 after an end at 2`,
    ],
    [
      "pieces out of order",
      [
        [0, 3],
        [2, 6],
        [1, 6],
      ],
      `${gap}, but piece 2`,
    ],
    [
      "a piece that begins with the one before",
      [
        [0, 3],
        [0, 6],
      ],
      `${gap}, but piece 1 is from 0 to 6 after an end at 3`,
    ],
    [
      "an empty piece",
      [
        [0, 3],
        [3, 3],
        [3, 6],
      ],
      `${gap}, but piece 1`,
    ],
    [
      "a piece within another",
      [
        [0, 4],
        [1, 3],
        [3, 6],
      ],
      `${gap}, but piece 1`,
    ],
    [
      "an end too early",
      [
        [0, 2],
        [2, 4],
      ],
      "must cover the content, but its last piece ends at 4 of 6 characters",
    ],
    ["an end too late", [[0, 7]], `${gap}, but piece 0`],
    [
      "half of a surrogate pair",
      [
        [0, 5],
        [5, 6],
      ],
      "must not cut a surrogate pair, as piece 0 does",
    ],
  ])("refuses a function that returns %s [knowledge.chunking-function]", (_, given, message) => {
    const isPairs = Array.isArray(given) && Array.isArray(given[0]);
    const answer = isPairs ? (given as number[][]).map(([start, end]) => ({ start, end })) : given;
    const split = createSplitter((() => answer) as Chunking);

    expect(() => split?.("abcd😀")).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(`\`chunking\` ${message}`) }),
    );
  });

  it("stops a function that never ends, and refuses more pieces than a search finds", () => {
    const endless = createSplitter(function* () {
      for (let start = 0; ; start++) yield { start, end: start + 1 };
    });
    const many = {
      code: "invalid_value",
      message: expect.stringContaining("more than 10000 pieces. Set a larger `size`"),
    };

    expect(() => endless?.("a")).toThrow(expect.objectContaining(many));
    expect(() => createSplitter({ size: 1 })?.("雨".repeat(10_001))).toThrow(expect.objectContaining(many));
    expect(createSplitter({ size: 1 })?.("雨".repeat(10_000))).toHaveLength(10_000);
  });

  it.each<[object, string]>([
    [{ size: 0 }, "chunking.size must be a positive integer, got 0."],
    [{ size: 1.5 }, "chunking.size must be a positive integer"],
    [{ size: "2000" }, "chunking.size must be a positive integer"],
    [{ overlap: -1 }, "chunking.overlap must be an integer of 0 or more"],
    [{ size: 100, overlap: 51 }, "chunking.overlap must be at most half of size 100, got 51."],
    [{ overlap: 1001 }, "chunking.overlap must be at most half of size 2000"],
    [{ length: 5 }, 'Unknown option "length"'],
  ])("refuses %o", (chunking, message) => {
    expect(() => createSplitter(chunking)).toThrow(TroupeError);
    expect(() => createSplitter(chunking)).toThrow(message);
  });
});
