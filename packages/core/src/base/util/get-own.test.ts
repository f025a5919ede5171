import { describe, expect, it } from "vitest";
import { getOwn } from "./get-own.ts";

describe("getOwn", () => {
  it("returns own properties, also with names of inherited ones", () => {
    const record = JSON.parse('{"a":1,"__proto__":2}') as Record<string, number>;

    expect(getOwn(record, "a")).toBe(1);
    expect(getOwn(record, "__proto__")).toBe(2);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "returns undefined for an inherited %s",
    (key) => {
      expect(getOwn({}, key)).toBeUndefined();
    },
  );
});
