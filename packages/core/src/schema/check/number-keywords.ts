import type { Check } from "./check-run.ts";
import { isMultipleOf } from "./is-multiple-of.ts";
import { type KeywordCompiler, readNumber, refuseKeyword } from "./keyword-site.ts";

/** `minimum`, `maximum`, their exclusive forms, and `multipleOf`. Other values than numbers fit all of them. */
export const numberKeywords = {
  minimum: compare(">=", (value, limit) => value >= limit),
  maximum: compare("<=", (value, limit) => value <= limit),
  exclusiveMinimum: compare(">", (value, limit) => value > limit),
  exclusiveMaximum: compare("<", (value, limit) => value < limit),

  multipleOf: (site) => {
    const divisor = readNumber(site);
    if (divisor <= 0) throw refuseKeyword(site, '"multipleOf" must be greater than 0');
    return onNumbers(site.keyword, `a multiple of ${divisor}`, (value) => isMultipleOf(value, divisor));
  },
} satisfies Record<string, KeywordCompiler>;

function compare(sign: string, fits: (value: number, limit: number) => boolean): KeywordCompiler {
  return (site) => {
    const limit = readNumber(site);
    return onNumbers(site.keyword, `number ${sign} ${limit}`, (value) => fits(value, limit));
  };
}

function onNumbers(keyword: string, expected: string, fits: (value: number) => boolean): Check {
  return (value, place, run) => {
    if (typeof value !== "number" || Number.isNaN(value) || fits(value)) return true;
    return run.fail({ place, keyword, expected, value });
  };
}
