import { TroupeError } from "@troupe/core";

/** Longest query of a search, in characters. */
const maxQueryLength = 400;

/** JSON Schema of a search's `query`. */
export function queryParameter(description: string) {
  return { type: "string", description, minLength: 1, maxLength: maxQueryLength } as const;
}

/** JSON Schema of `maxResults`, which a model may lower. */
export function countParameter(most: number, what: string) {
  const description = `Number of ${what} to return, at most ${most}, which is also the default.`;
  return { type: "integer", description, minimum: 1, maximum: most } as const;
}

/** Periods to which a search can be limited. */
export const timeRanges = ["day", "week", "month", "year"] as const;

/** Period to which a search is limited. */
export type TimeRange = (typeof timeRanges)[number];

/** JSON Schema of `timeRange`. */
export const timeRangeParameter = {
  type: "string",
  description: "Returns only results from the last day, week, month or year. Leave it out for results of any age.",
  enum: timeRanges,
} as const;

/** Returns an argument that is a text with content, without white space around it. Throws `invalid_request` for another. */
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

/** Returns the argument `maxResults`, or `most` where it is missing or larger. */
export function readMaxResults(args: Readonly<Record<string, unknown>>, most: number): number {
  const wanted = args["maxResults"];
  return typeof wanted === "number" && wanted >= 1 ? Math.min(Math.trunc(wanted), most) : most;
}

/** Returns the argument `timeRange`, or `undefined` for results of any age. */
export function readTimeRange(args: Readonly<Record<string, unknown>>): TimeRange | undefined {
  return timeRanges.find((range) => range === args["timeRange"]);
}
