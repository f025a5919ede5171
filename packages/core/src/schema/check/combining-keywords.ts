import type { Check, CheckRun, Failure, Place } from "./check-run.ts";
import { describeSchema } from "./describe-schema.ts";
import {
  compileList,
  compileValue,
  type KeywordCompiler,
  type KeywordSite,
  readList,
  refuseKeyword,
} from "./keyword-site.ts";

/** The keywords that join schemas, and `$ref`. */
export const combiningKeywords = {
  $ref: ({ value, context, pointer, ...site }) => {
    if (typeof value === "string") return context.resolve(value, pointer);
    throw refuseKeyword({ context, pointer, ...site }, '"$ref" must be a string');
  },

  allOf: (site) => {
    const checks = compileBranches(site);
    return (value, place, run) => checks.reduce((fits, check) => check(value, place, run) && fits, true);
  },

  anyOf: (site) => {
    const checks = compileBranches(site);
    const expected = describeBranches(site);
    return (value, place, run) => {
      const tried: (readonly Failure[])[] = [];
      for (const check of checks) {
        const failures = run.probe(() => check(value, place, run));
        if (failures === undefined) return true;
        tried.push(failures);
      }
      return failBranches(tried, { place, keyword: "anyOf", expected, value }, run);
    };
  },

  oneOf: (site) => {
    const checks = compileBranches(site);
    const expected = describeBranches(site);
    return (value, place, run) => {
      const tried = checks.map((check) => run.probe(() => check(value, place, run)));
      const failed = tried.filter((failures) => failures !== undefined);
      const fitting = tried.length - failed.length;
      if (fitting === 1) return true;
      if (fitting === 0) return failBranches(failed, { place, keyword: "oneOf", expected, value }, run);
      return run.fail({ place, keyword: "oneOf", expected: `a value that fits one form only, not ${fitting}`, value });
    };
  },

  not: (site) => {
    const check = compileValue(site);
    const expected = `anything but ${describeSchema(site.value)}`;
    return (value, place, run) =>
      run.probe(() => check(value, place, run)) !== undefined || run.fail({ place, keyword: "not", expected, value });
  },

  if: (site) => {
    const condition = compileValue(site);
    const whenTrue = compileNeighbour(site, "then");
    const whenFalse = compileNeighbour(site, "else");
    return (value, place, run) => {
      const chosen = run.probe(() => condition(value, place, run)) === undefined ? whenTrue : whenFalse;
      return chosen === undefined || chosen(value, place, run);
    };
  },
} satisfies Record<string, KeywordCompiler>;

function compileBranches(site: KeywordSite): readonly Check[] {
  if (readList(site).length > 0) return compileList(site);
  throw refuseKeyword(site, `"${site.keyword}" must have at least one schema`);
}

function compileNeighbour({ schema, context, pointer }: KeywordSite, keyword: string): Check | undefined {
  return schema[keyword] === undefined ? undefined : context.compile(schema[keyword], `${pointer}/${keyword}`);
}

function describeBranches(site: KeywordSite): string {
  const described = new Set(readList(site).map(describeSchema));
  return described.has("a value") ? `one of ${readList(site).length} forms` : [...described].join(" or ");
}

/** Of several forms, one may have been meant: that whose kind and constants fit. Then its failures are the useful ones. */
function failBranches(tried: readonly (readonly Failure[])[], none: Failure, run: CheckRun): false {
  const meant = tried.filter((failures) => !failures.some((failure) => isOtherKind(failure, none.place)));
  const [failures] = meant;
  if (meant.length !== 1 || failures === undefined) return run.fail(none);
  for (const failure of failures) run.fail(failure);
  return false;
}

function isOtherKind({ keyword, place }: Failure, root: Place): boolean {
  if (keyword === "const" || keyword === "enum") return place === root || place?.parent === root;
  return keyword === "type" && place === root;
}
