import { describe, expect, it } from "vitest";
import { corruptRecord, isArrayOf, isCount, isOptionalString, readRecord, recordVersion } from "./stored-record.ts";

const at = { namespace: "turns", key: '-/"ada"/s' };
const isShape = (value: unknown): value is { v: 1 } => (value as { v?: unknown } | null)?.v === recordVersion;
const damaged = expect.objectContaining({
  code: "storage_corrupt",
  message: String.raw`The record "-/\"ada\"/s" in "turns" is damaged: restore it from a backup or delete it.`,
  fields: { namespace: "turns", key: '-/"ada"/s' },
});

describe("a stored record", () => {
  it("is returned as it is, with fields that are not known", () => {
    const value = { v: 1, more: { secret: true } };
    expect(readRecord(value, at, isShape)).toBe(value);
  });

  it.each([{ v: 0 }, { v: -1 }, { v: 1.5 }, { v: "2" }, { v: NaN }, {}, [], null, "text", undefined])(
    "is damaged as %j",
    (value) => {
      expect(() => readRecord(value, at, isShape)).toThrow(damaged);
    },
  );

  it.each([2, 3, 2 ** 53 - 1])(
    "a stored record of version %d is told to be of a newer release, whatever its shape",
    (version) => {
      const read = () => readRecord({ v: version }, at, (value): value is object => value !== null);
      expect(read).toThrow(
        expect.objectContaining({
          code: "storage_corrupt",
          message:
            String.raw`The record "-/\"ada\"/s" in "turns" has version ${version}, and this release reads up to ` +
            "1: a newer release wrote it, so update this one.",
          fields: { namespace: "turns", key: '-/"ada"/s', version },
        }),
      );
    },
  );

  it("a stored record that is damaged is named by its place alone", () => {
    expect(corruptRecord(at)).toEqual(damaged);
    expect(JSON.stringify(corruptRecord({ ...at, value: "hidden" } as never))).not.toContain("hidden");
  });
});

it.each([
  [0, true],
  [1, true],
  [2 ** 53 - 1, true],
  [2 ** 53, false],
  [-1, false],
  [0.5, false],
  [NaN, false],
  [Infinity, false],
  ["1", false],
  [1n, false],
  [null, false],
  [undefined, false],
  [[1], false],
])("%s is a count: %s", (value, expected) => {
  expect(isCount(value)).toBe(expected);
});

it.each([
  [undefined, true],
  ["", true],
  ["a", true],
  [null, false],
  [0, false],
  [["a"], false],
])("%j is a string or left out: %s", (value, expected) => {
  expect(isOptionalString(value)).toBe(expected);
});

it.each([
  [[], true],
  [[0, 1], true],
  [[0, -1], false],
  [["1", 1], false],
  [{ length: 0 }, false],
  [new Set([1]), false],
  [undefined, false],
  ["12", false],
])("%j is an array of counts: %s", (value, expected) => {
  expect(isArrayOf(value, isCount)).toBe(expected);
});
