import { canonicalJson } from "../canonical-json.ts";
import { checkAll } from "./check-all.ts";
import type { Check, Place } from "./check-run.ts";
import { compileList, compileValue, type KeywordCompiler, type KeywordSite, readCount } from "./keyword-site.ts";

/** The keywords of arrays. Other values fit all of them. */
export const arrayKeywords = {
  prefixItems: (site) => checkEach(compileList(site)),

  // Before 2020-12 a list of `items` was what `prefixItems` is now, and `additionalItems` what `items` is.
  items: (site) => {
    if (Array.isArray(site.value)) return checkEach(compileList(site));
    return checkRest(compileValue(site), countOf(site.schema["prefixItems"]));
  },
  additionalItems: (site) => {
    if (!Array.isArray(site.schema["items"])) return () => true;
    return checkRest(compileValue(site), countOf(site.schema["items"]));
  },

  minItems: (site) => {
    const least = readCount(site);
    return checkLength(site, `array of at least ${least}`, (length) => length >= least);
  },
  maxItems: (site) => {
    const most = readCount(site);
    return checkLength(site, `array of at most ${most}`, (length) => length <= most);
  },

  uniqueItems:
    ({ value: isUnique, keyword }) =>
    (value, place, run) => {
      if (isUnique !== true || !Array.isArray(value)) return true;
      if (new Set(value.map((item) => canonicalJson(item, run))).size === value.length) return true;
      return run.fail({ place, keyword, expected: "array without equal items", value });
    },

  contains: (site) => {
    const check = compileValue(site);
    const { minContains: least = 1, maxContains: most = Infinity } = site.schema as Record<string, number>;
    const expected = `array with ${describeCount(least, most)} items that fit "contains"`;
    return (value, place, run) => {
      if (!Array.isArray(value)) return true;
      const fits = (item: unknown, key: number) =>
        run.probe(() => check(item, { parent: place, key }, run)) === undefined;
      run.spend(value.length);
      const count = value.filter(fits).length;
      return (count >= least && count <= most) || run.fail({ place, keyword: "contains", expected, value });
    };
  },
  // Both are read by `contains`; here they are only made sure of.
  minContains: (site) => (readCount(site), () => true),
  maxContains: (site) => (readCount(site), () => true),
} satisfies Record<string, KeywordCompiler>;

function checkEach(checks: readonly Check[]): Check {
  return (value, place, run) => {
    if (!Array.isArray(value)) return true;
    return checkAll(
      value.slice(0, checks.length),
      run,
      (item, key) => checks[key]?.(item, { parent: place, key }, run) ?? true,
    );
  };
}

function checkRest(check: Check, skipped: number): Check {
  return (value, place, run) => {
    if (!Array.isArray(value)) return true;
    const at = (key: number): Place => ({ parent: place, key });
    return checkAll(value, run, (item, key) => key < skipped || (run.isFull ? false : check(item, at(key), run)));
  };
}

function checkLength({ keyword }: KeywordSite, expected: string, fits: (length: number) => boolean): Check {
  return (value, place, run) =>
    !Array.isArray(value) || fits(value.length) || run.fail({ place, keyword, expected, value });
}

function countOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

function describeCount(least: number, most: number): string {
  return most === Infinity ? `at least ${least}` : `${least} to ${most}`;
}
