import { describe, expect, it } from "vitest";
import { accentOption } from "./accent.ts";
import type { Accent } from "./accent.ts";

const [violet, teal] = [
  { light: "#5b41d9", dark: "#b0a2ff" },
  { light: "#00695C", dark: "#80cbc4" },
];
const read = (accent: unknown): Accent => accentOption(accent, "accent", { owner: "page" });

describe("the accent of a host", () => {
  it.each([violet, teal, { light: "#000000", dark: "#ffffff" }])("may be %j, which can be read", (accent) => {
    expect(read(accent)).toEqual(accent);
  });

  it.each([
    { ...violet, light: "#ffd54f" },
    { ...violet, light: "#8f8f8f" },
    { ...violet, light: "#7a7a7a" },
    { ...violet, dark: "#5b41d9" },
    { ...violet, dark: "#7d7d7d" },
    { light: violet.dark, dark: violet.light },
    { light: "#5b41d9" },
    { ...violet, other: "#000000" },
    { ...violet, light: "violet" },
    { ...violet, light: "#fff" },
    { ...violet, light: "#5b41d9;x:url(//e.x)" },
    "#5b41d9",
    null,
    [],
  ])("may not be %j", (accent) => {
    expect(() => read(accent)).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringContaining("each with a contrast of 4.5"),
      }),
    );
  });
});
