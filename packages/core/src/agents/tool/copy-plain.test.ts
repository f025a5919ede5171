import { describe, expect, it } from "vitest";
import { copyPlain } from "./copy-plain.ts";

describe("copyPlain", () => {
  it("copies objects and arrays deeply", () => {
    const value = { list: [{ a: 1 }], none: null, text: "a" };
    const copy = copyPlain(value);
    value.list.push({ a: 2 });

    expect(copy).toEqual({ list: [{ a: 1 }], none: null, text: "a" });
    expect(copy.list[0]).not.toBe(value.list[0]);
  });

  it("keeps the instances that a schema made", () => {
    const value = { day: new Date(0), names: new Set(["a"]) };

    expect(copyPlain(value).day).toBe(value.day);
    expect(copyPlain(value).names).toBe(value.names);
  });

  it("copies a member named __proto__ as a member", () => {
    const copy = copyPlain(JSON.parse('{"__proto__":{"admin":true}}') as Record<string, unknown>);

    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true}}');
  });
});
