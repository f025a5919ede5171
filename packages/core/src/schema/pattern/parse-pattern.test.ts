import { describe, expect, it } from "vitest";
import { parsePattern } from "./parse-pattern.ts";
import type { PatternNode } from "./parse-pattern.ts";

const character = (source: string): PatternNode => ({ kind: "character", source });
const boundary = (source: string): PatternNode => ({ kind: "boundary", source });
const sequence = (...nodes: PatternNode[]): PatternNode => ({ kind: "sequence", nodes });
const choice = (...nodes: PatternNode[]): PatternNode => ({ kind: "choice", nodes });
const repeat = (node: PatternNode, least: number, most: number): PatternNode => ({ kind: "repeat", node, least, most });
const ahead = (node: PatternNode, isNegative: boolean): PatternNode => ({ kind: "ahead", node, isNegative });
const one = (...nodes: PatternNode[]) => choice(sequence(...nodes));
const [a, b] = [character("a"), character("b")];

describe("parsePattern", () => {
  it.each<[string, PatternNode]>([
    ["", one()],
    ["ab", one(a, b)],
    ["a|b|", choice(sequence(a), sequence(b), sequence())],
    ["|a", choice(sequence(), sequence(a))],
    ["^a$", one(boundary("^"), a, boundary("$"))],
    ["\\ba\\B", one(boundary("\\b"), a, boundary("\\B"))],
    ["[\\b]", one(character("[\\b]"))],
    [".", one(character("."))],
    ["(a|b)b", one(choice(sequence(a), sequence(b)), b)],
    ["(?:a)", one(one(a))],
    ["(?<name>a)", one(one(a))],
    ["((a))", one(one(one(a)))],
    ["(?=a)b", one(ahead(one(a), false), b)],
    ["(?!a|b)", one(ahead(choice(sequence(a), sequence(b)), true))],
  ])("reads %j", (source, node) => {
    expect(parsePattern(source)).toEqual(node);
  });

  it.each<[string, number, number]>([
    ["a*", 0, Infinity],
    ["a+", 1, Infinity],
    ["a?", 0, 1],
    ["a{3}", 3, 3],
    ["a{0}", 0, 0],
    ["a{3,}", 3, Infinity],
    ["a{12,34}", 12, 34],
    ["a{0,0}", 0, 0],
  ])("reads the repetition %s, greedy or lazy", (source, least, most) => {
    expect(parsePattern(source)).toEqual(one(repeat(a, least, most)));
    expect(parsePattern(`${source}?b`)).toEqual(one(repeat(a, least, most), b));
  });

  it("repeats the last atom or group alone", () => {
    expect(parsePattern("ba*b")).toEqual(one(b, repeat(a, 0, Infinity), b));
    expect(parsePattern("b(?:ab)+")).toEqual(one(b, repeat(one(a, b), 1, Infinity)));
    expect(parsePattern("[ab]{2}b")).toEqual(one(repeat(character("[ab]"), 2, 2), b));
    expect(parsePattern("\\d?")).toEqual(one(repeat(character("\\d"), 0, 1)));
  });

  it.each([
    "\\u{1F600}",
    "\\ud83d\\ude00",
    "\\uD83D\\uDE00",
    "\\u0061",
    "\\ud83d",
    "\\x61",
    "\\p{L}",
    "\\P{Script=Greek}",
    "\\cJ",
    "\\d",
    "\\W",
    "\\n",
    "\\0",
    "\\\\",
    "\\/",
    "\\(",
    "\\)",
    "\\|",
    "\\[",
    "\\*",
    "[^a]",
    "[)|(*]",
    "[\\]]",
    "[a\\\\]",
    "[\\u{1F600}-\\u{1F64F}]",
    "😀",
    "-",
    "/",
    ",",
    " ",
    "\n",
    "é",
  ])("takes %j for one character", (source) => {
    expect(parsePattern(`a${source}b`)).toEqual(one(a, character(source), b));
    expect(parsePattern(`${source}+`)).toEqual(one(repeat(character(source), 1, Infinity)));
  });

  it("takes two escapes that make no pair for two characters", () => {
    expect(parsePattern("\\ud83d\\u0061")).toEqual(one(character("\\ud83d"), character("\\u0061")));
    expect(parsePattern("\\u0061\\ude00")).toEqual(one(character("\\u0061"), character("\\ude00")));
  });

  it.each(["(?<=a)", "(?<!a)", "\\1", "a\\9", "\\k<x>", "(?i:a)", "(?-i:a)", "a(b(?<=c))"])(
    "leaves %s to the engine",
    (source) => {
      expect(parsePattern(source)).toBeUndefined();
    },
  );
});
