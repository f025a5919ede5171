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
        refreshToken: undefined,
      }),
    ).toEqual({
      apiKey: "[redacted]",
      a: [{ password: "[redacted]" }],
      token: "[redacted]",
      secret: null,
      cookie: "[redacted]",
      authorization: "[redacted]",
      refreshToken: null,
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

  it("shows 4,000 values, counting each array and object, and the number of the others", () => {
    const ones = (count: number): number[] => Array.from({ length: count }, () => 1);
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1]));
    // The outer array, 19 inner ones with 200 items each, and the last one with 179 items.
    const items = Array.from({ length: 21 }, () => ones(200));
    expect(toShownJson(items)).toEqual([...items.slice(0, 19), [...ones(179), "… 21 more"], "… 1 more"]);

    const objects = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`o${at}`, fields(200)]));
    const shown = toShownJson(objects) as Record<string, object>;
    expect(Object.keys(shown)).toEqual([...Object.keys(objects).slice(0, 20), "…"]);
    expect([shown["o18"], shown["…"]]).toEqual([fields(200), "1 more"]);
    expect(shown["o19"]).toEqual({ ...fields(179), "…": "21 more" });
  });

  it.each([
    [1, 1],
    [[], "[…]"],
    [{}, "{…}"],
  ])("shows %j as the 4,000th value as %j", (value, shown) => {
    const items = Array.from({ length: 20 }, (_, at) => Array.from({ length: at < 19 ? 200 : 178 }, () => 1));
    items[19]?.push(value as number);

    expect(toShownJson(items)).toEqual([...items.slice(0, 19), [...(items[19] ?? []).slice(0, 178), shown]]);
  });

  it("shows 60,000 characters of all strings together, and names of fields count too", () => {
    const shown = toShownJson([textOf(20_000), textOf(20_000), textOf(19_999), "xyz", "more"]) as string[];

    expect(shown.slice(0, 3)).toEqual([textOf(20_000), textOf(20_000), textOf(19_999)]);
    expect(shown[3]).toBe("x… (2 more characters)");
    expect(shown[4]).toBe("… (4 more characters)");
    const named = toShownJson([textOf(20_000), textOf(20_000), textOf(19_990), { "ten chars.": "x" }]) as object[];
    expect(named[3]).toEqual({ "ten chars.": "… (1 more characters)" });
  });

  it("shows an empty string as it is when all characters are used up", () => {
    expect(toShownJson([textOf(20_000), textOf(20_000), textOf(20_000), ""])).toHaveProperty("3", "");
  });

  it("shows the first 1,000 characters of the name of a field", () => {
    const [longest, longer] = [textOf(1000), `-${textOf(1000)}`];

    expect(toShownJson({ [longest]: 1, [longer]: 2 })).toEqual({ [longest]: 1, [longer.slice(0, 1000)]: 2 });
  });

  it("starts anew with each value", () => {
    toShownJson([textOf(20_000), textOf(20_000), textOf(20_000)]);

    expect(toShownJson("again")).toBe("again");
  });
});

describe("toShownText", () => {
  it("shows 20,000 characters, and the number of the others", () => {
    expect(toShownText(textOf(20_000))).toBe(textOf(20_000));
    expect(toShownText(textOf(20_001))).toBe(`${textOf(20_000)}… (1 more characters)`);
    expect(toShownText(textOf(50_000))).toBe(`${textOf(20_000)}… (30000 more characters)`);
  });

  it("shows the beginning of what looks like a file", () => {
    expect(toShownText("QUJD".repeat(249))).toBe("QUJD".repeat(249));
    expect(toShownText("QUJD".repeat(250))).toBe(`${"QUJD".repeat(20)}… (920 more characters)`);
    expect(toShownText(`${"QUJD".repeat(249)} ${"QUJD".repeat(100)}`)).not.toContain("more characters");
  });

  it.each(["QUJD", "-_8=", "+/0x"])("shows the beginning of each of several files that consist of %s", (data) => {
    const shown = `${data.repeat(20)}… (920 more characters)`;
    const file = data.repeat(250);

    expect([toShownText(file), toShownText(file)]).toEqual([shown, shown]);
    expect(toShownJson([file, file, file])).toEqual([shown, shown, shown]);
  });

  it("shows the beginning of a file with a text behind it, but all of a text with a file behind it", () => {
    const file = "QUJD".repeat(250);

    expect(toShownText(`${file} and a text`)).toBe(`${"QUJD".repeat(20)}… (931 more characters)`);
    expect(toShownText(`A text: ${file}`)).toBe(`A text: ${file}`);
    expect(toShownText(`A text:\n${file}`)).toBe(`A text:\n${file}`);
  });

  it("leaves no part of a secret at the cut", () => {
    const text = `${textOf(19_985)} Bearer ${"s3cr3t-".repeat(20)}`;

    expect(toShownText(text).slice(19_900)).not.toContain("s3cr");
  });

  it("leaves no half of a character at the cut", () => {
    expect(toShownText(`${textOf(19_999)}👋${textOf(10)}`).isWellFormed()).toBe(true);
  });
});
