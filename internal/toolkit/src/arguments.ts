import { TroupeError } from "@troupe/core";

/** Longest search query in characters. */
const maxQueryLength = 400;

/** Returns the JSON Schema of a search's `query`. */
export function queryParameter(description: string) {
  return { type: "string", description, minLength: 1, maxLength: maxQueryLength } as const;
}

/** Returns the JSON Schema of a search's `maxResults`, which a model may lower. */
export function countParameter(most: number, what: string) {
  const description = `Number of ${what} to return, at most ${most}, which is also the default.`;
  return { type: "integer", description, minimum: 1, maximum: most } as const;
}

/** Time ranges to which a search can be limited. */
export const timeRanges = ["day", "week", "month", "year"] as const;

/** The time range to which a search is limited. */
export type TimeRange = (typeof timeRanges)[number];

/** The JSON Schema of a search's `timeRange`. */
export const timeRangeParameter = {
  type: "string",
  description: "Returns only results from the last day, week, month or year. Leave it out for results of any age.",
  enum: timeRanges,
} as const;

/**
 * Returns a string argument without surrounding white space. Throws `invalid_request` for a blank string, for a string
 * of more than `longest` characters, and for another type.
 */
export function readTextArgument(
  args: Readonly<Record<string, unknown>>,
  name: string,
  longest = maxQueryLength,
): string {
  const value = args[name];
  const text = typeof value === "string" ? value.trim() : "";
  if (text !== "" && text.length <= longest) return text.toWellFormed();
  throw new TroupeError("invalid_request", `${name} must be a text of 1 to ${longest} characters that is not blank.`);
}

/** Returns the argument `maxResults` as an integer, at most `most`. Returns `most` if it is missing or less than 1. */
export function readMaxResults(args: Readonly<Record<string, unknown>>, most: number): number {
  const wanted = args["maxResults"];
  return typeof wanted === "number" && wanted >= 1 ? Math.min(Math.trunc(wanted), most) : most;
}

/** Returns the argument `timeRange`. Returns `undefined`, for results of any age, if it is missing or unknown. */
export function readTimeRange(args: Readonly<Record<string, unknown>>): TimeRange | undefined {
  return timeRanges.find((range) => range === args["timeRange"]);
}
