import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { LinearMatcher } from "./linear-matcher.ts";
import { parsePattern } from "./parse-pattern.ts";
import { readPattern } from "./read-pattern.ts";

const free = { spend: () => {} };

const matchLinearly = (source: string, text: string) => {
  const node = parsePattern(source);
  return node === undefined ? undefined : new LinearMatcher(node).test(text, free);
};

/** Patterns over few letters, so that they match often. */
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      "a",
      "b",
      ".",
      "[ab]",
      "[^a]",
      "\\w",
      "\\d",
      "\\p{L}",
      "\\u{1F600}",
      "\\ud83d\\ude00",
      "😀",
      "\\x61",
      "[\\]a]",
    ),
    fc.constantFrom("^", "$", "\\b", "\\B", "", "\\.", "(?:)"),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?"))
      .map(([inner, sign]) => `(${inner})${sign}`),
    fc
      .tuple(fc.constantFrom("(?=", "(?!", "(?<name>"), tie("pattern"))
      .map(([opening, inner]) => `${opening}${inner})`),
  ),
}));

const text = fc.string({ unit: fc.constantFrom("a", "b", "1", " ", "😀", "."), maxLength: 6 });

describe("LinearMatcher", () => {
  it("agrees with the engine on any pattern and text", () => {
    const verdicts = { matches: 0, fails: 0 };
    fc.assert(
      fc.property(pattern, text, (source, sample) => {
        // The engine looks for these in the middle of a character too, which the language does not allow.
        fc.pre(isValid(source) && !(/\\B|\(\?[=!]/.test(source) && sample.includes("😀")));
        const expected = new RegExp(source, "u").test(sample);
        verdicts[expected ? "matches" : "fails"] += 1;

        expect(matchLinearly(source, sample)).toBe(expected);
      }),
      { numRuns: { few: 1000, many: 3000 }[inject("trials")] },
    );
    expect(Math.min(verdicts.matches, verdicts.fails)).toBeGreaterThan(100);
  });

  it.each([
    ["^(a+)+$", 20_000],
    ["^(a|a)*$", 20_000],
    [`${"a?".repeat(60)}${"a".repeat(60)}!`, 2000],
    ["^(?=.*(a+)+!)", 100],
  ])("ends where the engine would not: %s", (source, length) => {
    expect(matchLinearly(source, `${"a".repeat(length)}b`)).toBe(false);
  });

  it("agrees with the engine on text after text, also on more of them than it remembers", () => {
    const source = "(?:x|[a-z]{1,40}y)$";
    const node = parsePattern(source);
    const matcher = node && new LinearMatcher(node);
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c", "x", "y", "z"), minLength: 30, maxLength: 90 });
    fc.assert(
      fc.property(letters, (sample) => {
        expect(matcher?.test(sample, free)).toBe(new RegExp(source, "u").test(sample));
      }),
      { numRuns: 300 },
    );
  });

  it.each(["(?<=a)b", "(?<!a)b", "(a)\\1", "(?<x>a)\\k<x>", "(?i:a)b"])("leaves %s to the engine", (source) => {
    expect(parsePattern(source)).toBeUndefined();
  });
});

describe("readPattern", () => {
  it.each(["^(a+)+$", "^(a|a)*$", "(.*a){12}!", "^(?=.*b)(a|aa)+$"])(
    "spends steps in proportion to the text on %s",
    (source) => {
      const stepsFor = (length: number) => {
        let spent = 0;
        const matches = readPattern(source);
        if (typeof matches !== "string") matches(`${"a".repeat(length)}b`, { spend: (steps) => (spent += steps) });
        return spent;
      };

      expect(stepsFor(4000)).toBeGreaterThan(stepsFor(2000));
      expect(stepsFor(4000)).toBeLessThan(2.2 * stepsFor(2000));
    },
  );

  const test = (source: string, sample: string) => {
    const matches = readPattern(source);
    return typeof matches === "string" ? matches : matches(sample, free);
  };

  it("gives the engine's verdict for look-behind and back references", () => {
    expect(test("(?<=a)b", "ab")).toBe(true);
    expect(test("^(.)x", "ax")).toBe(true);
  });

  it("exhausts the budget where only the engine could match, and would take too long", () => {
    let spent = 0;
    const matches = readPattern("(?<=a.*b.*c.*)d");
    if (typeof matches !== "string") matches("a".repeat(5000), { spend: (steps) => (spent += steps) });

    expect(spent).toBe(Infinity);
  });

  it("refuses a pattern that neither the engine nor the matcher can match", () => {
    expect(test("(a+)+\\1", "a")).toContain("too long");
    expect(test("(", "a")).toContain("not a JavaScript regular expression");
  });
});

function isValid(source: string): boolean {
  try {
    return Boolean(new RegExp(source, "u"));
  } catch {
    return false;
  }
}

describe("readPattern", () => {
  /** Returns the budget that a match takes, up to the step that is refused. */
  const spentOn = (source: string, sample: string): number => {
    const matches = readPattern(source);
    let spent = 0;
    if (typeof matches === "function") matches(sample, { spend: (steps) => (spent += steps) });
    return spent;
  };

  it.each([
    ["a?".repeat(30) + "a".repeat(30), "a".repeat(30)],
    ["(?:a|b)".repeat(30), "a".repeat(30)],
    ["a{0,2}".repeat(30), "a".repeat(30)],
    ["a*".repeat(11), "a".repeat(30)],
    ["a+".repeat(11), "a".repeat(30)],
  ])("gives %s, which has many choices, to the linear matcher", (source, sample) => {
    expect(spentOn(source, sample)).toBeGreaterThan(2);
  });

  // Only the engine matches look-behind. The start of a match is a choice, unless every alternative is at the start.
  it.each([
    ["^", 10],
    ["", 9],
    ["^a|", 8],
    ["^a|^", 8],
  ])("leaves a pattern after %j with %i repetitions to the engine, and refuses one more", (start, most) => {
    const typeWith = (count: number) => typeof readPattern(`${start}(?<=a)${"b*".repeat(count)}`);
    expect([typeWith(most), typeWith(most + 1)]).toEqual(["function", "string"]);
  });

  it.each([
    // In "v" mode a class may not have these.
    [String.raw`^[\p{L}(]+$`, "é(", "1"],
    [String.raw`^[&&]$`, "&", "a"],
    // In Unicode mode these are errors.
    [String.raw`^\-$`, "-", "a"],
    [String.raw`^{$`, "{", "a"],
  ])("reads %s in Unicode mode, or without where only that can be read", (source, right, wrong) => {
    const matches = readPattern(source);
    expect(typeof matches === "function" && [matches(right, free), matches(wrong, free)]).toEqual([true, false]);
  });

  it("says of what is no expression that it is none", () => {
    expect(readPattern("(")).toBe("is not a JavaScript regular expression");
  });
});
