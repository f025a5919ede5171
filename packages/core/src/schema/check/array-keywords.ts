import { canonicalJson } from "../canonical-json.ts";
import type { Check } from "./check-run.ts";
import type { KeywordCompiler } from "./keyword-site.ts";

/** The JSON Schema keywords of arrays, each with the function that compiles it into a check. */
export const arrayKeywords = {
  prefixItems: (site) => checkFirst(site.compileArray()),

  // Before draft 2020-12 an array in `items` had the meaning of `prefixItems`, and `additionalItems` had that of
  // `items`.
  items: (site) => {
    if (Array.isArray(site.value)) return checkFirst(site.compileArray());
    return checkRest(site.compile(), lengthOf(site.schema["prefixItems"]));
  },
  additionalItems: (site) => {
    if (!Array.isArray(site.schema["items"])) return () => true;
    return checkRest(site.compile(), lengthOf(site.schema["items"]));
  },

  minItems: (site) => {
    const least = site.readCount();
    return site.checkArray(`array of at least ${least}`, (items) => items.length >= least);
  },
  maxItems: (site) => {
    const most = site.readCount();
    return site.checkArray(`array of at most ${most}`, (items) => items.length <= most);
  },

  uniqueItems: (site) => {
    if (site.value !== true) return () => true;
    return site.checkArray(
      "array without equal items",
      (items, run) => new Set(items.map((item) => canonicalJson(item, run))).size === items.length,
    );
  },

  contains: (site) => {
    const check = site.compile();
    const { minContains: least = 1, maxContains: most = Infinity } = site.schema as Record<string, number>;
    const count = most === Infinity ? `at least ${least}` : `${least} to ${most}`;
    return site.checkArray(`array with ${count} items that fit "contains"`, (items, run) => {
      run.spend(items.length);
      const fitting = items.filter((item) => run.probe(() => check(item, undefined, run)) === undefined).length;
      return fitting >= least && fitting <= most;
    });
  },
  // `contains` applies `minContains` and `maxContains`; here their values are only validated.
  minContains: (site) => (site.readCount(), () => true),
  maxContains: (site) => (site.readCount(), () => true),
} satisfies Record<string, KeywordCompiler>;

function checkFirst(checks: readonly Check[]): Check {
  return (value, path, run) => {
    if (!Array.isArray(value)) return true;
    const first: readonly unknown[] = value.slice(0, checks.length);
    return run.every(first, (item, key) => checks[key]?.(item, { parent: path, key }, run) ?? true);
  };
}

function checkRest(check: Check, skipped: number): Check {
  return (value, path, run) => {
    if (!Array.isArray(value)) return true;
    const items: readonly unknown[] = value;
    return run.every(
      items,
      (item, key) => key < skipped || (run.isFull ? false : check(item, { parent: path, key }, run)),
    );
  };
}

function lengthOf(array: unknown): number {
  return Array.isArray(array) ? array.length : 0;
}
