import { describe, expect, it } from "vitest";
import { CheckRun } from "./check-run.ts";
import type { Check } from "./check-run.ts";
import { KeywordSite, malformedSchemaError } from "./keyword-site.ts";

/** A keyword in a schema at `#/a`, and the schemas and references that it has compiled or resolved. */
function siteOf(value: unknown, neighbours: Record<string, unknown> = {}) {
  const asked: unknown[] = [];
  const check: Check = () => false;
  const remember = (...given: unknown[]) => (asked.push(given), check);
  const context = { label: "the schema", compile: remember, resolve: remember };
  const site = new KeywordSite("key", { schema: { ...neighbours, key: value }, pointer: "#/a", context });
  return Object.assign(site, { asked, check });
}

const refusal = (problem: string) => ({
  code: "invalid_config",
  message: `the schema cannot be used as a JSON Schema: at #/a, ${problem}.`,
});

const readers = {
  readNumber: (site: KeywordSite) => site.readNumber(),
  readCount: (site: KeywordSite) => site.readCount(),
  readArray: (site: KeywordSite) => site.readArray(),
  readNames: (site: KeywordSite) => site.readNames(),
  compileArray: (site: KeywordSite) => site.compileArray(),
  compileEntries: (site: KeywordSite) => site.compileEntries(),
  resolveReference: (site: KeywordSite) => site.resolveReference(),
};

describe("the readers of a keyword", () => {
  it.each<[keyof typeof readers, unknown]>([
    ["readNumber", -1.5],
    ["readCount", 0],
    ["readCount", 3],
    ["readArray", []],
    ["readArray", [1, null]],
    ["readNames", []],
    ["readNames", ["a", ""]],
  ])("%s returns the value %j", (reader, value) => {
    expect(readers[reader](siteOf(value))).toEqual(value);
  });

  it.each<[keyof typeof readers, string, unknown[]]>([
    ["readNumber", "must be a number", ["1", null, undefined, [1], 1n]],
    ["readCount", "must be an integer of at least 0", [-1, 0.5, "1", null, Number.NaN, Infinity, [1]]],
    ["readArray", "must be an array", [{ length: 1 }, "ab", null, undefined]],
    ["readNames", "must be an array", [{ 0: "a" }, "ab"]],
    ["readNames", "must be an array of strings", [[1], ["a", null], [["a"]]]],
    ["compileArray", "must be an array", [{}, "ab", true]],
    ["compileEntries", "must be an object", [[], "ab", null, true]],
    ["resolveReference", "must be a string", [1, null, ["#"], {}]],
  ])("%s throws that the keyword %s", (reader, problem, values) => {
    for (const value of values) {
      expect(() => readers[reader](siteOf(value))).toThrow(expect.objectContaining(refusal(`"key" ${problem}`)));
    }
  });

  it("name the pattern that cannot be read, shortened", () => {
    const long = `(${"x".repeat(200)}`;
    const site = siteOf("other");

    for (const [source, problem] of [
      [1, 'the pattern 1 of "key" must be a string'],
      ["(", 'the pattern "(" of "key" is not a JavaScript regular expression'],
      [long, `the pattern "${long.slice(0, 118)}… of "key" is not a JavaScript regular expression`],
    ] as const) {
      expect(() => site.readPattern(source)).toThrow(expect.objectContaining(refusal(problem)));
    }
    expect(["a", "b"].map((text) => site.readPattern("^a")(text, new CheckRun()))).toEqual([true, false]);
  });
});

describe("the inner schemas of a keyword", () => {
  it("are compiled with their places", () => {
    const whole = siteOf({ type: "null" });
    const list = siteOf([true, false]);
    const named = siteOf({ x: true, y: ["b"] });
    const reference = siteOf("#/b");

    expect(whole.compile()).toBe(whole.check);
    expect(whole.asked).toEqual([[{ type: "null" }, "#/a/key"]]);
    expect(list.compileArray()).toEqual([list.check, list.check]);
    expect(list.asked).toEqual([
      [true, "#/a/key/0"],
      [false, "#/a/key/1"],
    ]);
    expect(named.compileEntries((value) => ({ of: value }))).toEqual([
      ["x", named.check],
      ["y", named.check],
    ]);
    expect(named.asked).toEqual([
      [{ of: true }, "#/a/key/x"],
      [{ of: ["b"] }, "#/a/key/y"],
    ]);
    expect(reference.resolveReference()).toBe(reference.check);
    expect(reference.asked).toEqual([["#/b", "#/a"]]);
  });

  it("may stand beside it", () => {
    const site = siteOf(true, { minimum: 1, empty: undefined });

    expect(["minimum", "maximum", "empty"].map((keyword) => site.compileNeighbour(keyword))).toEqual([
      site.check,
      undefined,
      undefined,
    ]);
    expect(site.asked).toEqual([[1, "#/a/minimum"]]);
  });
});

describe("the checks of one type", () => {
  const path = { parent: undefined, key: "p" };

  it.each<["checkNumber" | "checkString" | "checkArray" | "checkObject", unknown, unknown[]]>([
    ["checkNumber", -Infinity, ["1", null, undefined, [], {}, true, Number.NaN]],
    ["checkString", "", [1, null, undefined, [], {}, ["a"]]],
    ["checkArray", [], [1, "a", null, undefined, {}, { length: 0 }]],
    ["checkObject", {}, [1, "a", null, undefined, []]],
  ])("of %s ask of such values alone, and record a failure", (kind, value, others) => {
    const run = new CheckRun();
    const given: unknown[] = [];
    const refuse = (checked: unknown) => (given.push(checked), false);
    const site = siteOf(1);

    expect(others.map((other) => site[kind]("better", refuse)(other, path, run))).toEqual(others.map(() => true));
    expect([given, run.failures]).toEqual([[], []]);
    expect(site[kind]("better", () => true)(value, path, run)).toBe(true);
    expect(site[kind]("better", refuse)(value, path, run)).toBe(false);
    expect(given).toEqual([value]);
    expect(run.failures).toEqual([{ path, keyword: "key", expected: "better", value }]);
  });
});

describe("malformedSchemaError", () => {
  it("shortens a place of more than 200 characters", () => {
    const message = (length: number) => malformedSchemaError("it", "#".repeat(length), "no").message;

    expect(message(200)).toBe(`it cannot be used as a JSON Schema: at ${"#".repeat(200)}, no.`);
    expect(message(201)).toBe(`it cannot be used as a JSON Schema: at ${"#".repeat(200)}…, no.`);
  });
});
