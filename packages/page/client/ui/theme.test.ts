import { describe, expect, it } from "vitest";
import { storedInMemory } from "../test/fake-services.ts";
import { Theme } from "./theme.ts";

describe("the colour scheme [page.palette]", () => {
  it.each([
    [undefined, "system", ""],
    ["dark", "dark", "dark"],
    ["light", "light", "light"],
    ["system", "system", ""],
    ["constructor", "system", ""],
    [7, "system", ""],
  ])("is read from the stored value %j as %s", (stored, name, colorScheme) => {
    const value = Object.assign(storedInMemory(), { value: stored });
    const style = { colorScheme: "" };
    expect([new Theme(value, style).name, style.colorScheme]).toEqual([name, colorScheme]);
  });

  it("is shown and remembered, and forgotten for that of the device", () => {
    const [value, style] = [storedInMemory(), { colorScheme: "" }];
    const theme = new Theme(value, style);
    theme.choose("dark");
    expect([theme.name, style.colorScheme, value.value]).toEqual(["dark", "dark", "dark"]);
    theme.choose("system");
    expect([theme.name, style.colorScheme, value.value]).toEqual(["system", "", undefined]);
  });
});
