import { describe, expect, it } from "vitest";
import { findRunnable, lookUp, registryEntries } from "./registry.ts";

const registry = { helper: "an agent" };
const inherited = ["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"];

describe("findRunnable", () => {
  it("finds entries of an object and of a map", () => {
    expect(findRunnable(registry, "helper")).toBe("an agent");
    expect(findRunnable(new Map(Object.entries(registry)), "helper")).toBe("an agent");
  });

  it.each(inherited)("finds no inherited member %s", (name) => {
    expect(() => findRunnable(registry, name)).toThrowError(expect.objectContaining({ code: "not_found" }));
    expect(() => findRunnable(new Map(), name)).toThrowError(expect.objectContaining({ code: "not_found" }));
  });

  it("finds an entry that is registered with such a name", () => {
    expect(findRunnable(new Map([["__proto__", "mine"]]), "__proto__")).toBe("mine");
    expect(findRunnable(JSON.parse('{"__proto__":"mine"}') as Record<string, string>, "__proto__")).toBe("mine");
  });

  it("says of a name that is not there no more than that, also where others are registered", () => {
    for (const entries of [{ secret: 1, other: 2 }, new Map([["secret", 1]])]) {
      expect(() => findRunnable(entries, "helper")).toThrowError(/^Agent "helper" not found\.$/);
    }
  });

  it("names the kind in the error, and escapes the name", () => {
    expect(() => findRunnable({}, "a\nb", "team")).toThrowError(String.raw`Team "a\nb" not found.`);
    expect(() => findRunnable(undefined, "x".repeat(65))).toThrowError(`Agent "${"x".repeat(64)}" not found.`);
  });
});

describe("registryEntries", () => {
  it("lists names in the order of registration", () => {
    const entries = [
      ["b", 1],
      ["a", 2],
    ] as const;

    expect(registryEntries(Object.fromEntries(entries))).toEqual(entries);
    expect(registryEntries(new Map(entries))).toEqual(entries);
    expect(registryEntries(undefined)).toEqual([]);
  });
});

it("lookUp returns the entry of that name, and undefined for a name or a registry that is not there", () => {
  expect([lookUp(registry, "helper"), lookUp(new Map([["helper", 1]]), "helper")]).toEqual(["an agent", 1]);
  expect([lookUp(undefined, "helper"), lookUp(registry, "toString"), lookUp(new Map(), "helper")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
