import { TroupeError } from "@troupe/core";
import { filterPath } from "@troupe/core/vector";
import type { MetadataFilter } from "@troupe/core/vector";

/** A statement has at most 65,535 parameters, of which a name takes up to six. */
const mostNames = 1000;

/**
 * Writes the condition of a filter on the column `metadata`, and adds its names and values to the parameters of the
 * statement. An empty filter is `true`.
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
 * `@>` can use the index, and finds the value in objects alone, never in arrays. Of an array or object it finds larger
 * ones too, so that these are compared again as a whole.
 */
function hasValue(path: readonly string[], value: unknown, parameters: unknown[]): string {
  const parameter = (added: unknown): string => `$${parameters.push(added)}`;
  const holder = path.toReversed().reduce((inner, name) => ({ [name]: inner }), value);
  const contains = `metadata @> ${parameter(JSON.stringify(holder))}::jsonb`;
  if (typeof value !== "object" || value === null) return contains;
  const equals = `(metadata #> ${parameter([...path])}::text[]) = ${parameter(JSON.stringify(value))}::jsonb`;
  return `(${contains} and ${equals})`;
}
