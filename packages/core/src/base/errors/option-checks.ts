import { isBlank } from "../util/is-blank.ts";
import { readProperty } from "../util/read-property.ts";
import { joinNames, readOptions, wrongOption } from "./read-options.ts";
import type { OptionCheck, OptionsOf, OptionContext } from "./read-options.ts";

/** Maximum delay of a Node timer, in milliseconds (24 days). A timer with a longer delay fires immediately. */
export const longestTimerMs = 2 ** 31 - 1;

/**
 * Makes an option check that accepts values passing `test` and throws for others. `expected` completes the sentence
 * "name must be …" of the error.
 */
export function customOption<Value>(expected: string, test: (value: unknown) => boolean): OptionCheck<Value> {
  return (value, name, where) => {
    if (test(value)) return value as Value;
    throw wrongOption({ ...where, name }, expected, value);
  };
}

/** Makes an option check that also accepts `undefined`, and passes any other value to `check`. */
export function optional<Value>(check: OptionCheck<Value>): OptionCheck<Value | undefined>;
/** Makes an option check that returns the default for `undefined`, and passes any other value to `check`. */
export function optional<Value>(check: OptionCheck<Value>, defaultValue: NoInfer<Value>): OptionCheck<Value>;
/** Makes an option check that returns the default, if given, for `undefined`, and passes other values to `check`. */
export function optional<Value>(check: OptionCheck<Value>, defaultValue?: Value): OptionCheck<Value | undefined> {
  return (value, name, where) => (value === undefined ? defaultValue : check(value, name, where));
}

/** Option check that accepts any string, including an empty string. */
export const stringOption = customOption<string>("a string", (value) => typeof value === "string");

/** Option check that accepts only `true` and `false`. */
export const booleanOption = customOption<boolean>("true or false", (value) => typeof value === "boolean");

/** Makes an option check for a string that is neither empty nor only white space, of at most `longest` characters. */
export function nonBlankString(longest = Infinity): OptionCheck<string> {
  const expected = longest === Infinity ? "a string" : `a string of 1 to ${longest} characters`;
  return customOption(
    `${expected} that is not blank`,
    (value) => typeof value === "string" && value.length <= longest && !isBlank(value),
  );
}

/**
 * Option check for a string of at least one character. White space counts, as in a stop sequence. Use `nonBlankString`
 * for names.
 */
export const nonEmptyString = customOption<string>(
  "a string that is not empty",
  (value) => typeof value === "string" && value !== "",
);

/** Makes an option check for an integer from `least` to `most`, inclusive. */
export function integerOption(least: number, most = Number.MAX_SAFE_INTEGER): OptionCheck<number> {
  return customOption(
    describeInteger(least, most),
    (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  );
}

/** Makes an option check for a number from `least` to `most`, inclusive; fractions are allowed. */
export function numberFrom(least: number, most: number): OptionCheck<number> {
  return customOption(
    `a number from ${least} to ${most}`,
    (value) => typeof value === "number" && value >= least && value <= most,
  );
}

/** Makes an option check for a number above 0 and up to `most`; fractions are allowed. */
export function positiveNumber(most = Number.MAX_VALUE): OptionCheck<number> {
  const expected = most === Number.MAX_VALUE ? "a positive number" : `a positive number up to ${most}`;
  return customOption(expected, (value) => typeof value === "number" && value > 0 && value <= most);
}

/** Option check for a delay: a number of milliseconds from 0 to `longestTimerMs`. */
export const millisecondsOption = customOption<number>(
  `a number of milliseconds from 0 to ${longestTimerMs}`,
  (value) => typeof value === "number" && value >= 0 && value <= longestTimerMs,
);

/** Option check for a time limit: an integer number of milliseconds from 1 to `longestTimerMs`. */
export const timeoutOption = integerOption(1, longestTimerMs);

/** Makes an option check that accepts only the listed values. */
export function oneOf<const Values extends readonly (string | number | boolean)[]>(
  ...values: Values
): OptionCheck<Values[number]> {
  const expected = joinNames(
    values.map((value) => JSON.stringify(value)),
    "or",
  );
  return customOption(expected, (value) => values.includes(value as Values[number]));
}

/** Makes an option check for a function. Its parameters and result are not checked. */
export function functionOption<Callable>(): OptionCheck<Callable> {
  return customOption("a function", (value) => typeof value === "function");
}

/**
 * Makes an option check for an object with these methods, own or inherited. `what` describes the object in the error:
 * `methodsOption<StorageDriver>("a storage driver", "get", "set")`.
 */
export function methodsOption<Value>(what: string, ...names: readonly (keyof Value & string)[]): OptionCheck<Value> {
  return customOption(`${what}, with the methods ${joinNames(names, "and")}`, (value) =>
    names.every((name) => typeof readProperty(value, name) === "function"),
  );
}

/**
 * Makes an option check for an array whose elements all pass `check`. The check returns a copy without holes. `what`
 * describes the elements in the error, such as "guardrails".
 */
export function arrayOf<Value>(what: string, check: OptionCheck<Value>): OptionCheck<Value[]> {
  return (value, name, where) => {
    if (!Array.isArray(value)) throw wrongOption({ ...where, name }, `an array of ${what}`, value);
    return Array.from(value, (element: unknown, index) => check(element, `${name}[${index}]`, where));
  };
}

/**
 * Makes an option check for an object that has options itself, which `readOptions` checks by `table`. Errors name these
 * options by their path, such as `retry.maxRetries`.
 */
export function nested<Checks extends Readonly<Record<string, OptionCheck<unknown>>>>(
  table: Checks,
  { openClasses }: Pick<OptionContext, "openClasses"> = {},
): OptionCheck<OptionsOf<Checks>> {
  return (value, name, { path, code }) => {
    const own = path === undefined ? name : `${path}.${name}`;
    return readOptions(table, value, { path: own, code, openClasses });
  };
}

function describeInteger(least: number, most: number): string {
  if (most < Number.MAX_SAFE_INTEGER) return `an integer from ${least} to ${most}`;
  if (least === 1) return "a positive integer";
  return `an integer of ${least} or more`;
}
