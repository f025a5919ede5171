import { describe, expect, it } from "vitest";
import { LinearMatcher } from "./linear-matcher.ts";
import { parsePattern } from "./parse-pattern.ts";

const free = { spend: () => {} };

function matcherOf(source: string, options?: ConstructorParameters<typeof LinearMatcher>[1]): LinearMatcher {
  const node = parsePattern(source);
  if (node === undefined) throw new Error(`The pattern ${source} cannot be parsed.`);
  return new LinearMatcher(node, options);
}

/** All texts of up to four of these characters, the short ones first. */
const texts = ["a", "b", "1", "-"].reduce<string[]>((all) => [...all, ...all.flatMap(grow)], [""]);

function grow(text: string): string[] {
  return ["a", "b", "1", "-"].map((character) => text + character);
}

const samples = [...new Set(texts)].filter((text) => text.length <= 4);

describe("LinearMatcher", () => {
  it.each([
    "^a?b$",
    "^a{0,2}$",
    "^a{1,2}b$",
    "^a{2}$",
    "^a{2,}$",
    "^a{0}b$",
    "^(?:ab?){2}$",
    "^a*b+$",
    "^(?:a|b1|)-?$",
    "^(?:a*)*b$",
    "^(?:a{0,2}b){1,2}$",
    "^$",
    "^",
    "$",
    "",
    "a$",
    "^b",
    "(?:^a|b$)",
    "a^b",
    "a$b",
    "(?:a|^)1",
    "[^a]$",
    "^[a-b]*$",
    "^\\w+$",
    "\\d-",
    "\\b1",
    "1\\b",
    "\\B1",
    "1\\B",
    "^\\B$",
    "\\b",
    "^\\b",
    "-\\b-",
    "-\\B-",
    "^(?=a)",
    "^(?!a)",
    "(?=b$)",
    "^(?!.*b)a",
    "^(?=.{2}$)(?=.*1)",
    "(?!)",
    "(?=)",
    "^a(?=b)b",
    "^(?:(?!b).)+$",
    "(?=(?!a)[ab])-?b",
    "(?!(?=a))a?1",
    "a(?!$)",
    "^(?=^a)",
    "b(?=^)",
  ])("agrees with the engine on each short text: %s", (source) => {
    const [matcher, engine] = [matcherOf(source), new RegExp(source, "u")];

    // One matcher for all texts: what it remembers of one must not change the next.
    const found = [...samples, ...samples.toReversed()].filter(
      (text) => matcher.test(text, free) !== engine.test(text),
    );
    expect(found).toEqual([]);
  });

  it("takes a surrogate pair for one character, and a lone surrogate for another", () => {
    expect(["😀", "\ud83d", "😀😀", "\ud83d\ud83d", ""].map((text) => matcherOf("^.$").test(text, free))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it("matches at the start alone when it is anchored", () => {
    const matcher = matcherOf("ab?", { isAnchored: true });

    expect(["a", "ab", "axx", "ba", "", "b"].map((text) => matcher.test(text, free))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ["a", 3],
    ["abc", 4],
    ["a{5}", 6],
    ["a|b", 4],
    ["a*", 3],
    ["a{0,3}", 7],
    ["(?=ab)c", 6],
  ])("needs room for its states, a lookahead too: %s", (source, least) => {
    const left = { states: 100 };
    matcherOf(source, { room: left });
    const states = 100 - left.states;

    expect(states).toBeGreaterThanOrEqual(least - 1);
    expect(() => matcherOf(source, { room: { states } })).not.toThrow();
    expect(() => matcherOf(source, { room: { states: states - 1 } })).toThrow(
      new RangeError("The pattern is too large."),
    );
  });

  it.each([["(?:a{100}){99}"], ["(?:(?=a{100})){50}"]])("refuses more than ten thousand states: %s", (source) => {
    expect(() => matcherOf(source)).not.toThrow();
    expect(() => matcherOf(`(?:${source}){3}`)).toThrow(RangeError);
  });

  const stepsOf = (matcher: LinearMatcher, text: string) => {
    let spent = 0;
    matcher.test(text, { spend: (steps) => (spent += steps) });
    return spent;
  };

  it("spends steps for each open state at each character, as many the second time", () => {
    const matcher = matcherOf("abc");
    const once = stepsOf(matcher, "-".repeat(10));

    expect(once).toBeGreaterThan(0);
    expect(stepsOf(matcher, "-".repeat(20)) - once).toBeCloseTo(once * (10 / 11));
    expect(stepsOf(matcher, "-".repeat(10))).toBe(once);
    expect(stepsOf(matcher, "a".repeat(10))).toBeGreaterThan(once);
  });

  it("spends the steps of a lookahead too, and none behind a match or without a way on", () => {
    const far = (source: string, text: string) => stepsOf(matcherOf(source), text);
    const text = "-".repeat(50);

    expect(far("^(?=.*b)a", text)).toBeGreaterThan(far("^a", text) + 10);
    expect(far("-", text)).toBe(far("-", text + text));
    const anchored = (sample: string) => stepsOf(matcherOf("ab", { isAnchored: true }), sample);
    expect(anchored(text)).toBe(anchored(text + text));
  });

  it("passes on what the budget throws, and can be used again", () => {
    const matcher = matcherOf("(?=a*b)a");
    const exhausted = new Error("too costly");
    const spend = () => {
      throw exhausted;
    };

    expect(() => matcher.test("aab", { spend })).toThrow(exhausted);
    expect([matcher.test("aab", free), matcher.test("aa", free)]).toEqual([true, false]);
  });
});
