import { customOption } from "@troupe/core/kit";
import type { OptionCheck } from "@troupe/core/kit";

/** The accent colour of the page in each scheme, such as `{ light: "#5b41d9", dark: "#b0a2ff" }`. */
export type Accent = { readonly light: string; readonly dark: string };

/**
 * The colours that the accent is read on, as in `tokens.css`: the darkest background of the light scheme, the lightest of the
 * dark scheme, and the texts on the accent itself.
 */
const grounds = {
  light: { back: "#f2f0ec", surface: "#ffffff", on: "#ffffff" },
  dark: { back: "#201f26", surface: "#201f26", on: "#17132b" },
} as const;

/**
 * The share of the accent colour in the background of chosen items. The client's `set-accent.ts` uses the same share.
 */
const softPart = 0.1;
/** The least contrast of text, by WCAG AA. */
const leastContrast = 4.5;

/** Option check for the accent: a colour for each scheme, with enough contrast to the background and to text on it. */
export const accentOption: OptionCheck<Accent> = customOption<Accent>(
  'two colours such as { light: "#5b41d9", dark: "#b0a2ff" }, each with a contrast of 4.5 to its scheme',
  (value) => {
    if (typeof value !== "object" || value === null) return false;
    const { light, dark, ...others } = value as Record<string, unknown>;
    return Object.keys(others).length === 0 && isReadable(light, "light") && isReadable(dark, "dark");
  },
);

function isReadable(colour: unknown, scheme: "light" | "dark"): boolean {
  if (typeof colour !== "string" || !/^#[\da-f]{6}$/i.test(colour)) return false;
  const { back, surface, on } = grounds[scheme];
  const accent = readColour(colour);
  const against = [readColour(back), readColour(on), mix(accent, readColour(surface))];
  return against.every((ground) => contrast(accent, ground) >= leastContrast);
}

type Colour = readonly [red: number, green: number, blue: number];

function readColour(hex: string): Colour {
  const part = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}

function mix(accent: Colour, surface: Colour): Colour {
  const part = (at: 0 | 1 | 2): number => accent[at] * softPart + surface[at] * (1 - softPart);
  return [part(0), part(1), part(2)];
}

function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((first, second) => first - second);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns the relative luminance of a colour, as WCAG defines it. */
function luminance([red, green, blue]: Colour): number {
  const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
