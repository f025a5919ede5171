import { describe, expect, it } from "vitest";
import { FieldReader, present } from "./field-reader.ts";

const of = (fields: unknown) => new FieldReader(fields, "params");
/** The error of a field, with the path by which it is named. */
const wrong = (field: string, expected: string) =>
  expect.objectContaining({
    kind: "invalid-params",
    message: `${field} must be ${expected}.`,
    fields: { field },
  }) as Error;

describe("FieldReader", () => {
  it.each([null, undefined, 7, "a", true, [], [{}]])("refuses %j, which is no object", (value) => {
    expect(() => of(value)).toThrow(wrong("params", "an object"));
  });

  it("reads own fields alone, and null as absent", () => {
    const reader = of(JSON.parse('{"a":0,"b":null,"__proto__":"x"}'));

    expect(["a", "b", "c", "constructor", "toString", "__proto__"].map((name) => reader.get(name))).toEqual([
      0,
      undefined,
      undefined,
      undefined,
      undefined,
      "x",
    ]);
    expect(of({}).get("__proto__")).toBeUndefined();
  });

  it("reads a string that must be there", () => {
    expect(of({ a: " x " }).required("a")).toBe(" x ");
    for (const a of ["", " ", "\n", 7, null, undefined, ["x"]])
      expect(() => of({ a }).required("a")).toThrow(wrong("params.a", "a string that is not blank"));
  });

  it("reads a string that may be there, of which an empty one is not", () => {
    expect([" ", "x", "", null, undefined].map((a) => of({ a }).optional("a"))).toEqual([
      " ",
      "x",
      undefined,
      undefined,
      undefined,
    ]);
    for (const a of [7, false, ["x"], {}]) expect(() => of({ a }).optional("a")).toThrow(wrong("params.a", "a string"));
  });

  it("reads true and false", () => {
    expect([true, false, null].map((a) => of({ a }).boolean("a"))).toEqual([true, false, undefined]);
    for (const a of ["true", 0, 1, "", {}])
      expect(() => of({ a }).boolean("a")).toThrow(wrong("params.a", "true or false"));
  });

  it.each<[unknown, number | undefined]>([
    [1, 1],
    [100, 100],
    ["1", 1],
    ["100", 100],
    ["007", 7],
    [null, undefined],
    [undefined, undefined],
  ])("reads %j as the integer %s", (a, integer) => {
    expect(of({ a }).integer("a", 1, 100)).toBe(integer);
  });

  it.each([
    0,
    101,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "",
    " 1",
    "1.0",
    "1e1",
    "0x1",
    "+1",
    "0",
    "101",
    true,
    [1],
    {},
  ])("refuses %j as an integer from 1 to 100", (a) => {
    expect(() => of({ a }).integer("a", 1, 100)).toThrow(wrong("params.a", "an integer from 1 to 100"));
  });

  it("reads integers that are negative, and no longer ones than are exact", () => {
    expect(of({ a: "-5" }).integer("a", -9, 9)).toBe(-5);
    for (const a of [2 ** 53, "9007199254740992", "9".repeat(400)])
      expect(() => of({ a }).integer("a", 0, Number.POSITIVE_INFINITY)).toThrow(/params\.a must be an integer/);
  });

  it("reads strings", () => {
    expect([[], ["a", ""], null].map((a) => of({ a }).strings("a"))).toEqual([[], ["a", ""], undefined]);
    for (const a of ["a", ["a", 7], [null], {}])
      expect(() => of({ a }).strings("a")).toThrow(wrong("params.a", "an array of strings"));
  });

  it("reads objects, and names what is wrong in one by its whole path", () => {
    const inner = { b: 7 };
    expect(of({ a: inner }).object("a")).toBe(inner);
    expect(of({ a: null }).object("a")).toBeUndefined();
    for (const a of ["a", [], 0]) expect(() => of({ a }).object("a")).toThrow(wrong("params.a", "an object"));
    expect(() => of({ a: inner }).reader("a").optional("b")).toThrow(wrong("params.a.b", "a string"));
    expect(() => of({}).reader("a")).toThrow(wrong("params.a", "an object"));
  });

  it("reads the elements of an array that has some, each with its path", () => {
    expect(of({ a: [7, null] }).items("a", (value, path) => [value, path])).toEqual([
      [7, "params.a[0]"],
      [null, "params.a[1]"],
    ]);
    for (const a of [[], null, undefined, "ab", { length: 1, 0: 7 }])
      expect(() => of({ a }).items("a", String)).toThrow(wrong("params.a", "an array of at least one element"));
  });
});

it("present leaves out what is undefined, and nothing else", () => {
  expect(present({ a: undefined, b: null, c: 0, d: "", e: false })).toEqual({ b: null, c: 0, d: "", e: false });
  expect(Object.keys(present({ a: undefined }))).toEqual([]);
});
