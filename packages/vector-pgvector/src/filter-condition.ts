import { TroupeError } from "@troupe/core";
import { filterPath } from "@troupe/core/vector";
import type { MetadataFilter } from "@troupe/core/vector";

/** Largest number of names in a filter: a statement has at most 65,535 parameters, and a name uses up to six. */
const mostNames = 1000;

/**
 * Returns the condition of a filter on the column `metadata`, and adds its names and values to the statement's
 * parameters. An empty filter is `true`. Throws `invalid_value` for too many names.
 */
export function filterCondition(filter: MetadataFilter, parameters: unknown[]): string {
  const names = Object.keys(filter).length;
  if (names > mostNames) {
    const message = `filter must have at most ${mostNames} names, or PostgreSQL cannot plan it, got ${names}.`;
    throw new TroupeError("invalid_value", message);
  }
  const conditions = Object.entries(filter).map(([name, value]) => {
    const readings = name.includes(".") ? [[name], filterPath(name)] : [[name]];
    return `(${readings.map((path) => hasValue(path, value, parameters)).join(" or ")})`;
  });
  return conditions.length === 0 ? "true" : conditions.join(" and ");
}

/**
 * Returns the condition that `metadata` has a value at a path. `@>` can use the index. It matches the value only in
 * objects, never in arrays. For an array or object it also matches values that contain more, so these are compared
 * again as a whole.
 */
function hasValue(path: readonly string[], value: unknown, parameters: unknown[]): string {
  const parameter = (added: unknown): string => `$${parameters.push(added)}`;
  const holder = path.toReversed().reduce((inner, name) => ({ [name]: inner }), value);
  const contains = `metadata @> ${parameter(JSON.stringify(holder))}::jsonb`;
  if (typeof value !== "object" || value === null) return contains;
  const equals = `(metadata #> ${parameter([...path])}::text[]) = ${parameter(JSON.stringify(value))}::jsonb`;
  return `(${contains} and ${equals})`;
}
