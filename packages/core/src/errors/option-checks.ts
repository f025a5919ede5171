import { isBlank } from "../util/is-blank.ts";
import { readProperty } from "../util/read-property.ts";
import { joinNames, readOptions, wrongOption } from "./read-options.ts";
import type { OptionCheck, OptionsOf, Where } from "./read-options.ts";

/** The longest wait of a timer, in milliseconds. A timer that is given more fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Takes a value that passes the test. `expected` completes the sentence "name must be …". */
export function satisfying<Value>(expected: string, test: (value: unknown) => boolean): OptionCheck<Value> {
  return (value, name, where) => {
    if (test(value)) return value as Value;
    throw wrongOption({ ...where, name }, expected, value);
  };
}

/** Takes what the check takes, and `undefined`. */
export function optional<Value>(check: OptionCheck<Value>): OptionCheck<Value | undefined>;
/** Takes what the check takes, and returns the default in place of `undefined`. */
export function optional<Value>(check: OptionCheck<Value>, defaultValue: NoInfer<Value>): OptionCheck<Value>;
/** Takes what the check takes, and returns the default, if there is one, in place of `undefined`. */
export function optional<Value>(check: OptionCheck<Value>, defaultValue?: Value): OptionCheck<Value | undefined> {
  return (value, name, where) => (value === undefined ? defaultValue : check(value, name, where));
}

/** Takes any string, also an empty one. */
export const anyString = satisfying<string>("a string", (value) => typeof value === "string");

/** Takes true or false. */
export const anyBoolean = satisfying<boolean>("true or false", (value) => typeof value === "boolean");

/** Takes a string with something other than white space in it. */
export function nonBlankString(longest = Infinity): OptionCheck<string> {
  const expected = longest === Infinity ? "a string" : `a string of 1 to ${longest} characters`;
  return satisfying(
    `${expected} that is not blank`,
    (value) => typeof value === "string" && value.length <= longest && !isBlank(value),
  );
}

/** Takes a string of one character or more. */
export const nonEmptyString = satisfying<string>(
  "a string that is not empty",
  (value) => typeof value === "string" && value !== "",
);

/** Takes an integer from `least` to `most`. */
export function integer(least: number, most = Number.MAX_SAFE_INTEGER): OptionCheck<number> {
  return satisfying(
    describeInteger(least, most),
    (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  );
}

/** Takes a number from `least` to `most`. */
export function numberFrom(least: number, most: number): OptionCheck<number> {
  return satisfying(
    `a number from ${least} to ${most}`,
    (value) => typeof value === "number" && value >= least && value <= most,
  );
}

/** Takes a number above 0. */
export function positiveNumber(most = Number.MAX_VALUE): OptionCheck<number> {
  const expected = most === Number.MAX_VALUE ? "a positive number" : `a positive number up to ${most}`;
  return satisfying(expected, (value) => typeof value === "number" && value > 0 && value <= most);
}

/** Takes a number of milliseconds that a timer can wait. */
export const milliseconds = satisfying<number>(
  `a number of milliseconds from 0 to ${longestTimerMs}`,
  (value) => typeof value === "number" && value >= 0 && value <= longestTimerMs,
);

/** Takes an integer of milliseconds that a timer can wait, from 1. */
export const timeoutMilliseconds = integer(1, longestTimerMs);

/** Takes one of the values. */
export function oneOf<const Values extends readonly (string | number | boolean)[]>(
  ...values: Values
): OptionCheck<Values[number]> {
  const expected = joinNames(
    values.map((value) => JSON.stringify(value)),
    "or",
  );
  return satisfying(expected, (value) => values.includes(value as Values[number]));
}

/** Takes a function; its parameters and result are taken on trust. */
export function functionLike<Callable>(): OptionCheck<Callable> {
  return satisfying("a function", (value) => typeof value === "function");
}

/** Takes an object that has the methods, its own or inherited: `methods<StorageDriver>("a storage driver", "get", "set")`. */
export function methods<Value>(what: string, ...names: readonly (keyof Value & string)[]): OptionCheck<Value> {
  return satisfying(`${what}, with the methods ${joinNames(names, "and")}`, (value) =>
    names.every((name) => typeof readProperty(value, name) === "function"),
  );
}

/** Takes an array whose every element passes the check, without holes. `what` are the elements: "guardrails". */
export function arrayOf<Value>(what: string, check: OptionCheck<Value>): OptionCheck<Value[]> {
  return (value, name, where) => {
    if (!Array.isArray(value)) throw wrongOption({ ...where, name }, `an array of ${what}`, value);
    return Array.from(value, (element: unknown, index) => check(element, `${name}[${index}]`, where));
  };
}

/** Takes an object with options of its own, read by their table. */
export function nested<Checks extends Readonly<Record<string, OptionCheck<unknown>>>>(
  table: Checks,
  { openClasses }: Pick<Where, "openClasses"> = {},
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
