import { expect, it } from "vitest";
import { hueOf, initialsOf } from "./face.tsx";

it.each([
  ["assistant", "A"],
  ["travel-desk", "TD"],
  ["weather_report of Oslo", "WR"],
  ["élan 7", "É7"],
  ["𝒜gent", "𝒜"],
  ["\u202e-<img>", "I"],
  ["", ""],
  ["!!", ""],
])("the initials of %j are %j", (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

it("the colour of a name is one of eight, and always the same", () => {
  const names = Array.from({ length: 500 }, (_, number) => `agent ${number} é`);

  expect(new Set(names.map(hueOf))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
  expect(names.map(hueOf)).toEqual(names.map(hueOf));
});
