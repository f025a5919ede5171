import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { arrayAt, booleanAt, countAt, objectAt, optionalStringAt, refuseField, stringAt } from "./fields.ts";

type Reader = (value: unknown, param: string) => unknown;

const values: readonly unknown[] = [
  undefined,
  null,
  "",
  "é",
  "true",
  true,
  false,
  [],
  ["a"],
  {},
  { a: 1 },
  -1,
  0,
  0.5,
  1,
  1.5,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  Number.NaN,
];

/** Returns rows for `it.each`, which would spread an array. */
const toRows = (given: readonly unknown[]) => given.map((value) => ({ value }));

const readers: readonly { name: string; read: Reader; taken: readonly unknown[]; problem: string }[] = [
  { name: "an object", read: objectAt, taken: [{}, { a: 1 }], problem: "an object" },
  { name: "an array", read: arrayAt, taken: [[], ["a"]], problem: "an array" },
  { name: "a string", read: stringAt, taken: ["", "é", "true"], problem: "a string" },
  {
    name: "an optional string",
    read: optionalStringAt,
    taken: [null, undefined, "", "é", "true"],
    problem: "a string",
  },
  { name: "an optional boolean", read: booleanAt, taken: [null, undefined, true, false], problem: "true or false" },
  {
    name: "an optional count",
    read: countAt,
    taken: [null, undefined, 1, Number.MAX_SAFE_INTEGER],
    problem: "a positive integer",
  },
];

describe.each(readers)("a reader of $name", ({ read, taken, problem }) => {
  const isTaken = (value: unknown): boolean => taken.some((each) => isDeepStrictEqual(each, value));

  it.each(toRows(values.filter(isTaken)))("takes $value", ({ value }) => {
    expect(read(value, "a")).toEqual(value ?? (read === booleanAt ? false : undefined));
  });

  it.each(toRows(values.filter((value) => !isTaken(value))))("refuses $value by the name of its field", ({ value }) => {
    const refusal = {
      code: "invalid_request",
      message: `input[2].name must be ${problem}.`,
      fields: { param: "input[2].name" },
    };

    expect(() => read(value, "input[2].name")).toThrow(expect.objectContaining(refusal));
  });
});

it("an optional boolean is what the reader says where it is missing", () => {
  expect([booleanAt(undefined, "a", true), booleanAt(null, "a", true), booleanAt(false, "a", true)]).toEqual([
    true,
    true,
    false,
  ]);
});

it("Fields refuses a field only where it asks for what the service does not have", () => {
  expect(() => refuseField(false, "n", "must be 1.")).not.toThrow();
  expect(() => refuseField(true, "n", "must be 1.")).toThrow("must be 1.");
});
