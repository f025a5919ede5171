import { describe, expect, it } from "vitest";
import { toShownJson, toShownText } from "./shown-json.ts";

/** A text that is no base64, of this length. */
const textOf = (length: number): string => "a b ".repeat(Math.ceil(length / 4)).slice(0, length);

function nest(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "core";
  for (let at = 0; at < depth; at++) value = wrap(value);
  return value;
}

describe("toShownJson", () => {
  it.each([
    [null],
    [true],
    [false],
    [0],
    [-1.5],
    [""],
    ["Grüße 👋"],
    [[]],
    [{}],
    [[null, [], {}, ""]],
    [{ a: { b: [1, "2", null] } }],
    [{ maxTokens: 5, tokenCount: 7, key: "k", sessionId: "s" }],
  ])("shows %j as it is", (value) => {
    expect(toShownJson(value)).toEqual(value);
  });

  it.each([[undefined], [() => 1], [Symbol("s")], [10n]])("shows %s, which is no JSON, as null", (value) => {
    expect(toShownJson(value)).toBeNull();
    expect(toShownJson([value])).toEqual([null]);
  });

  it("hides secrets by the names of their fields, whatever their form, but not that there is none", () => {
    expect(
      toShownJson({
        apiKey: "k",
        a: [{ password: 7 }],
        token: { deep: "x" },
        secret: null,
        cookie: "",
        authorization: 0,
      }),
    ).toEqual({
      apiKey: "[redacted]",
      a: [{ password: "[redacted]" }],
      token: "[redacted]",
      secret: null,
      cookie: "[redacted]",
      authorization: "[redacted]",
    });
  });

  it("hides secrets in texts, and in the names of fields", () => {
    const shown = JSON.stringify(toShownJson({ a: "Bearer abcdefgh1", "Bearer abcdefgh2": ["x?key=abcdefgh3"] }));

    expect(shown).not.toContain("abcdefgh");
    expect(shown.match(/redacted/g)).toHaveLength(3);
  });

  it("keeps names that are properties of objects", () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":2}') as object;
    const shown = toShownJson(value);

    expect(JSON.stringify(shown)).toBe(JSON.stringify(value));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([0, 1, 199, 200])("shows all of %s items and fields", (count) => {
    const items = Array.from({ length: count }, (_, index) => index);
    const fields = Object.fromEntries(items.map((item) => [`f${item}`, item]));

    expect(toShownJson(items)).toEqual(items);
    expect(toShownJson(fields)).toEqual(fields);
  });

  it.each([201, 1000])("shows 200 of %s items and fields, and the number of the others", (count) => {
    const items = Array.from({ length: count }, (_, index) => index);
    const fields = Object.fromEntries(items.map((item) => [`f${item}`, item]));

    expect(toShownJson(items)).toEqual([...items.slice(0, 200), `… ${count - 200} more`]);
    const shown = toShownJson(fields) as Record<string, unknown>;
    expect(Object.keys(shown)).toHaveLength(201);
    expect(shown["…"]).toBe(`${count - 200} more`);
    expect(shown["f199"]).toBe(199);
  });

  it.each([
    ["arrays", (inner: unknown) => [inner], "[…]"],
    ["objects", (inner: unknown) => ({ in: inner }), "{…}"],
  ])("shows %s up to a depth of 24", (_, wrap, more) => {
    expect(JSON.stringify(toShownJson(nest(24, wrap)))).toBe(JSON.stringify(nest(24, wrap)));
    const cut = JSON.stringify(toShownJson(nest(25, wrap)));
    expect(cut).toContain(JSON.stringify(more));
    expect(cut).not.toContain("core");
  });

  it("shows 4,000 values at most, however they are nested", () => {
    const value = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 1));
    const ones = JSON.stringify(toShownJson(value)).match(/\b1\b(?! more)/g) ?? [];

    expect(ones.length).toBeGreaterThan(3900);
    expect(ones.length).toBeLessThanOrEqual(4000);
    expect(JSON.stringify(toShownJson(value))).toContain(" more");
  });

  it("shows 60,000 characters of all strings together, and names of fields count too", () => {
    const shown = toShownJson([textOf(20_000), textOf(20_000), textOf(19_999), "xyz", "more"]) as string[];

    expect(shown.slice(0, 3)).toEqual([textOf(20_000), textOf(20_000), textOf(19_999)]);
    expect(shown[3]).toMatch(/^x…? \(2 more characters\)$/);
    expect(shown[4]).toMatch(/^…? \(4 more characters\)$/);
    const named = toShownJson([textOf(20_000), textOf(20_000), textOf(19_990), { "ten chars.": "x" }]) as object[];
    expect(named[3]).toEqual({ "ten chars.": expect.stringMatching(/^…? \(1 more characters\)$/) });
  });

  it("starts anew with each value", () => {
    toShownJson([textOf(20_000), textOf(20_000), textOf(20_000)]);

    expect(toShownJson("again")).toBe("again");
  });
});

describe("toShownText", () => {
  it("shows 20,000 characters, and the number of the others", () => {
    expect(toShownText(textOf(20_000))).toBe(textOf(20_000));
    expect(toShownText(textOf(20_001))).toMatch(/ \(1 more characters\)$/);
    expect(toShownText(textOf(50_000)).length).toBeLessThan(20_050);
  });

  it("shows the beginning of what looks like a file", () => {
    expect(toShownText("QUJD".repeat(249))).toBe("QUJD".repeat(249));
    expect(toShownText("QUJD".repeat(250))).toBe(`${"QUJD".repeat(20)}… (920 more characters)`);
    expect(toShownText(`${"QUJD".repeat(249)} ${"QUJD".repeat(100)}`)).not.toContain("more characters");
  });

  it("leaves no part of a secret at the cut", () => {
    const text = `${textOf(19_985)} Bearer ${"s3cr3t-".repeat(20)}`;

    expect(toShownText(text).slice(19_900)).not.toContain("s3cr");
  });

  it("leaves no half of a character at the cut", () => {
    expect(toShownText(`${textOf(19_999)}👋${textOf(10)}`).isWellFormed()).toBe(true);
  });
});
