import { TroupeError } from "../../base/errors/troupe-error.ts";

/** The values at which a cron expression is due, by field. Weekdays begin with Sunday, 0. */
export type CronFields = {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /**
   * True if a day matches when it is in `days` or in `weekdays`, because the expression limits both; false if the day
   * must be in both.
   */
  readonly isEitherDay: boolean;
};

type Field = {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words?: readonly string[];
};

const fields: readonly Field[] = [
  { name: "second", least: 0, most: 59 },
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of the month", least: 1, most: 31 },
  {
    name: "month",
    least: 1,
    most: 12,
    words: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { name: "day of the week", least: 0, most: 7, words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/**
 * Reads a cron expression of five fields, or six with seconds first. Throws `invalid_request` for a wrong expression.
 */
export function readCron(expression: string): CronFields {
  const parts = expression.trim().split(/\s+/);
  if (parts.length === 5) parts.unshift("0");
  if (parts.length !== 6) {
    const message = `The cron expression ${JSON.stringify(expression)} has ${parts.length} fields. Expected five fields, or six with seconds first.`;
    throw new TroupeError("invalid_request", message);
  }
  const [seconds, minutes, hours, days, months, weekdays] = fields.map((field, index) => {
    return readField(parts[index] ?? "", field, expression);
  }) as [number[], number[], number[], number[], number[], number[]];
  const isLimited = (index: number): boolean => parts[index]?.startsWith("*") === false;
  return {
    seconds,
    minutes,
    hours: new Set(hours),
    days: new Set(days),
    months: new Set(months),
    // 7 means Sunday, as 0 does.
    weekdays: new Set(weekdays.map((day) => day % 7)),
    isEitherDay: isLimited(3) && isLimited(5),
  };
}

/** Returns the values of a field, sorted: a list of `*`, numbers and ranges, each with an optional step. */
function readField(text: string, field: Field, expression: string): number[] {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const range = readRange(part, field);
    if (range === undefined) throw wrongField(text, field, expression);
    for (let value = range.first; value <= range.last; value += range.step) values.add(value);
  }
  return [...values].toSorted((one, other) => one - other);
}

const rangeForm = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,4}))?$/;

function readRange(part: string, field: Field): { first: number; last: number; step: number } | undefined {
  const match = rangeForm.exec(part);
  if (match === null) return undefined;
  const [, star, from, to, every] = match;
  const step = every === undefined ? 1 : Number(every);
  const first = star === undefined ? toValue(from, field) : field.least;
  const last = lastOf({ star, to, every }, first, field);
  if (first === undefined || last === undefined || first > last || step === 0) return undefined;
  return { first, last, step };
}

type Ends = { star: string | undefined; to: string | undefined; every: string | undefined };

/**
 * Returns the last value of a range. A single value with a step, such as `5/10`, ends at the largest value of the
 * field.
 */
function lastOf({ star, to, every }: Ends, first: number | undefined, field: Field): number | undefined {
  if (to !== undefined) return toValue(to, field);
  // Sunday may be written as 0 or 7, but `*` ends at 6, to have each weekday once.
  const most = field.words?.[0] === "sun" ? 6 : field.most;
  return star !== undefined || every !== undefined ? most : first;
}

function toValue(text: string | undefined, { least, most, words = [] }: Field): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : words.indexOf(text.toLowerCase());
  return value >= least && value <= most ? value : undefined;
}

function wrongField(text: string, { name, least, most, words }: Field, expression: string): TroupeError {
  const named = words === undefined ? "" : `, names such as ${words.at(-1)?.toUpperCase()}`;
  const message =
    `The ${name} ${JSON.stringify(text)} of the cron expression ${JSON.stringify(expression)} cannot be read. ` +
    `Expected *, integers from ${least} to ${most}${named}, ranges such as ${least}-${least + 4}, lists such as ${least},${least + 2}, or steps such as */2.`;
  return new TroupeError("invalid_request", message);
}
