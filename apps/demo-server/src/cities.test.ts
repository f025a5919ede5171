import { describe, expect, it } from "vitest";
import { findCity, unknownCity } from "./cities.ts";

const names = /It has (.+)\.$/.exec(unknownCity("Atlantis"))?.[1]?.split(", ") ?? [];

describe("a city of the demo", () => {
  it.each<[form: string, write: (name: string) => string]>([
    ["as it is", (name) => name],
    ["in upper case", (name) => name.toUpperCase()],
    ["in lower case", (name) => name.toLowerCase()],
    ["with a space after it", (name) => `${name} `],
    ["with a space before it", (name) => ` ${name}`],
    ["with a line break after it", (name) => `${name}\n`],
    ["with all of these", (name) => `\t ${name.toUpperCase()} \r\n`],
  ])("is found by its name, written %s", (_, write) => {
    expect(names).toContain("New York");
    expect(names.map((name) => findCity(write(name))?.name)).toEqual(names);
  });

  it.each(["", " ", "Os lo", "Oslo, Norway", "NewYork"])("is not found by %j", (name) => {
    expect(findCity(name)).toBeUndefined();
  });
});
