import { TroupeError } from "../../base/errors/troupe-error.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { toRecord } from "./check-document.ts";

/** A filter of a vector search after checking: values by the name of a field, or by names joined by dots. */
export type MetadataFilter = Readonly<Record<string, unknown>>;

/** Copies a filter of a vector search. Throws `invalid_value` for `undefined`, an operator, or what is no JSON. */
export function toFilter(filter: unknown): MetadataFilter {
  const copy = toRecord("filter", filter);
  for (const [name, value] of Object.entries(filter as object)) {
    if (value !== undefined) continue;
    const message = `filter[${JSON.stringify(name)}] must not be undefined. Leave it out to search everything, or use null.`;
    throw new TroupeError("invalid_value", message);
  }
  refuseOperators(copy);
  return copy;
}

// Those who know operators of a database would believe that they work: `{ price: { $gt: 5 } }`.
function refuseOperators(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (name.startsWith("$") && !Array.isArray(value)) {
      const message = `filter must not have the operator ${JSON.stringify(name.slice(0, 20))}: it compares fields with values for equality.`;
      throw new TroupeError("invalid_value", message);
    }
    refuseOperators(part);
  }
}

/**
 * Tells if metadata has each value of a filter. A name with dots is that of a field, or the way to one within objects:
 * it is enough that one of the two has the value.
 */
export function matchesFilter(
  metadata: Readonly<Record<string, unknown>> | undefined,
  filter: MetadataFilter,
): boolean {
  for (const name of Object.keys(filter)) {
    if (metadata === undefined) return false;
    const isEqual = hasValue(metadata, [name], filter[name]) || hasValue(metadata, filterPath(name), filter[name]);
    if (!isEqual) return false;
  }
  return true;
}

/** Returns the names of a filter's path: `author.city` is `author`, then `city`. */
export function filterPath(name: string): string[] {
  return name.split(".");
}

// Only own values match: an inherited one is not metadata.
function hasValue(metadata: Readonly<Record<string, unknown>>, path: readonly string[], wanted: unknown): boolean {
  let value: unknown = metadata;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return false;
    value = value[name];
  }
  return equalJson(value, wanted);
}

/**
 * Returns every pair of a name that a filter can use and the value there, as strings. Metadata matches a filter exactly
 * when it has all terms of `filterTerms`, so that a database that only finds strings in arrays can filter.
 */
export function metadataTerms(metadata: Readonly<Record<string, unknown>> | undefined): string[] {
  const terms = new Set<string>();
  for (const [name, value] of Object.entries(metadata ?? {})) {
    terms.add(toTerm(name, value));
    // A name with a dot is no step of a path.
    if (!name.includes(".")) addNested(terms, name, value);
  }
  return [...terms];
}

/** Returns the terms that metadata must have to match a filter. */
export function filterTerms(filter: MetadataFilter): string[] {
  return Object.entries(filter).map(([name, value]) => toTerm(name, value));
}

function addNested(terms: Set<string>, path: string, value: unknown): void {
  if (!isRecord(value)) return;
  for (const [name, part] of Object.entries(value)) {
    if (name.includes(".")) continue;
    terms.add(toTerm(`${path}.${name}`, part));
    addNested(terms, `${path}.${name}`, part);
  }
}

function toTerm(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${canonicalJson(value)}`;
}

/** JSON text that is the same for equal values: the names of each object are sorted. */
function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`).join(",")}}`;
}
