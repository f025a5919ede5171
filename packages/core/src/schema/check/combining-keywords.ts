import type { Check, CheckRun, Failure, ValuePath } from "./check-run.ts";
import { describeSchema } from "./describe.ts";
import type { KeywordCompiler, KeywordSite } from "./keyword-site.ts";

/** The JSON Schema keywords that combine schemas, and `$ref`, each with the function that compiles it into a check. */
export const combiningKeywords = {
  $ref: (site) => site.resolveReference(),

  allOf: (site) => {
    const checks = compileForms(site);
    return (value, path, run) => checks.reduce((fits, check) => check(value, path, run) && fits, true);
  },

  anyOf: (site) => {
    const { keyword } = site;
    const checks = compileForms(site);
    const expected = describeForms(site);
    return (value, path, run) => {
      const tried: (readonly Failure[])[] = [];
      for (const check of checks) {
        const failures = run.probe(() => check(value, path, run));
        if (failures === undefined) return true;
        tried.push(failures);
      }
      return failForms(tried, { path, keyword, expected, value }, run);
    };
  },

  oneOf: (site) => {
    const { keyword } = site;
    const checks = compileForms(site);
    const expected = describeForms(site);
    return (value, path, run) => {
      const tried = checks.map((check) => run.probe(() => check(value, path, run)));
      const failed = tried.filter((failures) => failures !== undefined);
      const fitting = tried.length - failed.length;
      if (fitting === 1) return true;
      if (fitting === 0) return failForms(failed, { path, keyword, expected, value }, run);
      return run.fail({ path, keyword, expected: `a value that fits one form only, not ${fitting}`, value });
    };
  },

  not: (site) => {
    const { keyword } = site;
    const check = site.compile();
    const expected = `anything but ${describeSchema(site.value)}`;
    return (value, path, run) =>
      run.probe(() => check(value, path, run)) !== undefined || run.fail({ path, keyword, expected, value });
  },

  if: (site) => {
    const condition = site.compile();
    const whenTrue = site.compileNeighbour("then");
    const whenFalse = site.compileNeighbour("else");
    return (value, path, run) => {
      const chosen = run.probe(() => condition(value, path, run)) === undefined ? whenTrue : whenFalse;
      return chosen === undefined || chosen(value, path, run);
    };
  },
} satisfies Record<string, KeywordCompiler>;

function compileForms(site: KeywordSite): readonly Check[] {
  if (site.readArray().length > 0) return site.compileArray();
  throw site.refuse("must have at least one schema");
}

function describeForms(site: KeywordSite): string {
  const forms = site.readArray();
  const described = new Set(forms.map(describeSchema));
  return described.has("a value") ? `one of ${forms.length} forms` : [...described].join(" or ");
}

/**
 * Records the failures of the intended alternative, if there is only one whose type and constants fit. Otherwise
 * records that no alternative fits.
 */
function failForms(tried: readonly (readonly Failure[])[], none: Failure, run: CheckRun): false {
  const meant = tried.filter((failures) => !failures.some((failure) => isOfOtherForm(failure, none.path)));
  const [failures] = meant;
  if (meant.length !== 1 || failures === undefined) return run.fail(none);
  for (const failure of failures) run.fail(failure);
  return false;
}

function isOfOtherForm({ keyword, path }: Failure, root: ValuePath): boolean {
  if (keyword === "const" || keyword === "enum") return path === root || path?.parent === root;
  return keyword === "type" && path === root;
}
