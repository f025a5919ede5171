import { arrayKeywords } from "./array-keywords.ts";
import { combiningKeywords } from "./combining-keywords.ts";
import type { KeywordCompiler } from "./keyword-site.ts";
import { numberKeywords } from "./number-keywords.ts";
import { objectKeywords } from "./object-keywords.ts";
import { stringKeywords } from "./string-keywords.ts";
import { typeKeywords } from "./type-keywords.ts";

/** Every keyword that is checked, in the order of checking. */
export const keywords: readonly (readonly [string, KeywordCompiler])[] = Object.entries({
  ...typeKeywords,
  ...numberKeywords,
  ...stringKeywords,
  ...arrayKeywords,
  ...objectKeywords,
  ...combiningKeywords,
});

/** Keywords that change the verdict in ways that are not implemented: ignoring them would let wrong values through. */
export const unsupportedKeywords: ReadonlySet<string> = new Set([
  "$dynamicRef",
  "$recursiveRef",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
