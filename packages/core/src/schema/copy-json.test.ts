import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { copyJson } from "./copy-json.ts";

const nested = (levels: number) => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const refusal = (place: string, expected: string) =>
  expect.objectContaining({
    code: "invalid_config",
    message: `the schema is not a JSON Schema: at ${place}, expected ${expected}.`,
  });

class Point {
  x = 1;
}

describe("copyJson", () => {
  it.each<[unknown]>([
    [null],
    [true],
    [""],
    ["\ud83d"],
    [-0],
    [1e300],
    [[]],
    [{}],
    [[null, [1, { a: "b" }]]],
    [JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
  ])("copies %j", (value) => {
    expect(copyJson(value, "the schema")).toStrictEqual(value);
  });

  it("copies all levels, and leaves out what is undefined", () => {
    const value = { a: [{ b: 1 }], c: undefined };
    const copy = copyJson(value, "the schema");
    value.a.push({ b: 2 });
    Object.assign(value.a[0] ?? {}, { b: 3 });

    expect(copy).toStrictEqual({ a: [{ b: 1 }] });
  });

  it("copies objects without a prototype and of another realm", () => {
    const bare = Object.assign(Object.create(null), { a: 1 }) as unknown;
    const foreign: unknown = runInNewContext("({ a: [1] })");

    expect([copyJson(bare, "it"), copyJson(foreign, "it")]).toEqual([{ a: 1 }, { a: [1] }]);
  });

  it("takes a part that stands in two places for no cycle", () => {
    const part = { type: "string" };

    expect(copyJson({ a: part, b: [part, part] }, "it")).toStrictEqual({ a: part, b: [part, part] });
  });

  it.each<[unknown, string, string]>([
    [undefined, "#", "JSON, got undefined"],
    [{ a: [1, Number.NaN] }, "#/a/1", "JSON, got NaN"],
    [{ a: { b: -Infinity } }, "#/a/b", "JSON, got -Infinity"],
    [[undefined], "#/0", "JSON, got undefined"],
    [{ a: 1n }, "#/a", "JSON, got bigint"],
    [{ a: () => 1 }, "#/a", "JSON, got function"],
    [{ a: Symbol("secret") }, "#/a", "JSON, got symbol"],
    [{ a: new Date(0) }, "#/a", "JSON, got a class instance"],
    [[new Point()], "#/0", "JSON, got a class instance"],
    [{ a: new Map() }, "#/a", "JSON, got a class instance"],
    [{ ["x".repeat(198)]: 1n }, `#/${"x".repeat(198)}`, "JSON, got bigint"],
    [{ ["x".repeat(199)]: 1n }, `#/${"x".repeat(198)}…`, "JSON, got bigint"],
  ])("names the place of what is not JSON: %s", (value, place, expected) => {
    expect(() => copyJson(value, "the schema")).toThrow(refusal(place, expected));
  });

  it("takes 256 levels and no cycle", () => {
    const cycle: Record<string, unknown> = {};
    cycle["a"] = cycle;
    const place = expect.stringMatching(
      /^it is not a JSON Schema: at #[/0a]{199}…, expected at most 256 levels and no cycle\.$/,
    );

    expect(copyJson([nested(255), nested(255)], "it")).toStrictEqual([nested(255), nested(255)]);
    for (const value of [nested(257), cycle]) {
      expect(() => copyJson(value, "it")).toThrow(expect.objectContaining({ code: "invalid_config", message: place }));
    }
  });

  it("takes 100,000 parts, and no more", () => {
    const parts: unknown[] = Array.from({ length: 99_999 }, () => 1);

    expect(copyJson(parts, "it")).toHaveLength(99_999);
    expect(() => copyJson([...parts, 1], "the schema")).toThrow(refusal("#/99999", "a schema of at most 100000 parts"));
  });
});
