import { canonicalJson } from "../canonical-json.ts";
import { shorten } from "../schema-issue.ts";
import type { Check } from "./check-run.ts";
import { describeChoice, typeOf } from "./describe.ts";
import { formats } from "./formats.ts";
import type { KeywordCompiler, KeywordSite } from "./keyword-site.ts";

const typeNames = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/**
 * The JSON Schema keywords of any value, of numbers and of strings, each with the function that compiles it into a
 * check.
 */
export const valueKeywords = {
  type: (site) => {
    const types: readonly unknown[] = Array.isArray(site.value) ? site.value : [site.value];
    if (types.length === 0 || !types.every((type) => typeof type === "string" && typeNames.has(type))) {
      throw site.refuse(`must be one of ${[...typeNames].join(", ")}, or an array of them`);
    }
    const allowed = new Set(types);
    const takesIntegers = allowed.has("integer");
    const expected = types.join(" or ");
    return (value, path, run) => {
      if (allowed.has(typeOf(value)) || (takesIntegers && Number.isInteger(value))) return true;
      return run.fail({ path, keyword: "type", expected, value });
    };
  },

  enum: (site) => compileChoice(site, site.readArray()),
  const: (site) => compileChoice(site, [site.value]),

  minimum: compileLimit(">=", (value, limit) => value >= limit),
  maximum: compileLimit("<=", (value, limit) => value <= limit),
  exclusiveMinimum: compileLimit(">", (value, limit) => value > limit),
  exclusiveMaximum: compileLimit("<", (value, limit) => value < limit),

  multipleOf: (site) => {
    const divisor = site.readNumber();
    if (divisor <= 0) throw site.refuse("must be greater than 0");
    return site.checkNumber(`a multiple of ${divisor}`, (value) => isMultipleOf(value, divisor));
  },

  minLength: (site) => {
    const least = site.readCount();
    const fits = (text: string) => text.length >= least && countCharacters(text, least) >= least;
    return site.checkString(`string of at least ${least} characters`, fits);
  },

  maxLength: (site) => {
    const most = site.readCount();
    const fits = (text: string) => text.length <= most || countCharacters(text, most + 1) <= most;
    return site.checkString(`string of at most ${most} characters`, fits);
  },

  pattern: (site) => {
    const pattern = site.readPattern(site.value);
    return site.checkString(`string matching ${shorten(String(site.value), 120)}`, pattern);
  },

  // The standard requires ignoring formats that a validator does not support.
  format: (site) => {
    const fits = typeof site.value === "string" ? formats.get(site.value) : undefined;
    return fits === undefined ? () => true : site.checkString(`string in the format ${String(site.value)}`, fits);
  },
} satisfies Record<string, KeywordCompiler>;

function compileChoice({ keyword }: KeywordSite, values: readonly unknown[]): Check {
  const expected = describeChoice(values);
  const scalars = new Set(values.filter((value) => typeof value !== "object" || value === null));
  const composites = new Set(values.filter((value) => !scalars.has(value)).map((value) => canonicalJson(value)));
  return (value, path, run) => {
    if (scalars.has(value)) return true;
    const isComposite = composites.size > 0 && typeof value === "object" && value !== null;
    return (isComposite && composites.has(canonicalJson(value, run))) || run.fail({ path, keyword, expected, value });
  };
}

function compileLimit(sign: string, fits: (value: number, limit: number) => boolean): KeywordCompiler {
  return (site) => {
    const limit = site.readNumber();
    return site.checkNumber(`number ${sign} ${limit}`, (value) => fits(value, limit));
  };
}

/** Counts characters instead of UTF-16 units. Stops counting at `enough`. */
function countCharacters(text: string, enough: number): number {
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count >= enough) break;
  }
  return count;
}

/**
 * Returns true if one decimal number is a multiple of another: 0.3 is a multiple of 0.1, although 0.3 / 0.1 is not 3 in
 * binary.
 */
function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [left, right] = [readDecimal(value), readDecimal(divisor)];
  const exponent = Math.min(left.exponent, right.exponent);
  const scale = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return scale(left) % scale(right) === 0n;
}

type Decimal = { readonly digits: bigint; readonly exponent: number };

function readDecimal(value: number): Decimal {
  const [mantissa = "0", power = "0"] = String(value).split("e");
  const [integer = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(integer + fraction), exponent: Number(power) - fraction.length };
}
