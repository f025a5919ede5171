import type { Check } from "./check-run.ts";
import { formats } from "./formats.ts";
import { type KeywordCompiler, readCount, readPatternOf } from "./keyword-site.ts";
import { shorten } from "../schema-issue.ts";

/** `minLength`, `maxLength`, `pattern` and `format`. Other values than strings fit all of them. */
export const stringKeywords = {
  minLength: (site) => {
    const least = readCount(site);
    const expected = `string of at least ${least} characters`;
    return onStrings(site.keyword, expected, (text) => text.length >= least && countCharacters(text, least) >= least);
  },

  maxLength: (site) => {
    const most = readCount(site);
    const expected = `string of at most ${most} characters`;
    return onStrings(site.keyword, expected, (text) => text.length <= most || countCharacters(text, most + 1) <= most);
  },

  pattern: (site) => {
    const { value: source, keyword } = site;
    const matches = readPatternOf(site, source);
    const expected = `string matching ${shorten(String(source), 120)}`;
    return (value, place, run) =>
      typeof value !== "string" || matches(value, run) || run.fail({ place, keyword, expected, value });
  },

  // A format that nobody here knows is a remark, as the standard has it.
  format: ({ value: name, keyword }) => {
    const fits = typeof name === "string" ? formats.get(name) : undefined;
    return fits === undefined ? () => true : onStrings(keyword, `string in the format ${String(name)}`, fits);
  },
} satisfies Record<string, KeywordCompiler>;

function onStrings(keyword: string, expected: string, fits: (text: string) => boolean): Check {
  return (value, place, run) =>
    typeof value !== "string" || fits(value) || run.fail({ place, keyword, expected, value });
}

/** Counts characters, not halves of them, and no further than asked. */
function countCharacters(text: string, enough: number): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count >= enough) break;
  }
  return count;
}
