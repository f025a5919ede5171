import { TroupeError } from "../../base/errors/troupe-error.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { toRecord } from "./check-document.ts";

/** A checked filter of a vector search: values by the name of a field, or by names joined by dots. */
export type MetadataFilter = Readonly<Record<string, unknown>>;

type Metadata = Readonly<Record<string, unknown>>;

/**
 * Copies a filter of a vector search. Throws `invalid_value` for `undefined`, for an operator, and for values that are
 * not JSON.
 */
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

// Rejects operators such as `{ price: { $gt: 5 } }`: users of a database with operators would assume that they work.
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
 * Returns true if metadata has each value of a filter. A name with dots is the name of a field, or a path within
 * objects. Either of the two must have the value.
 */
export function matchesFilter(metadata: Metadata | undefined, filter: MetadataFilter): boolean {
  return toPredicate(filter)(metadata);
}

/**
 * Returns a function that does the same as `matchesFilter` for one filter and many documents. It splits the names in
 * the filter only once.
 */
export function toPredicate(filter: MetadataFilter): (metadata: Metadata | undefined) => boolean {
  const conditions = Object.entries(filter).map(([name, wanted]) => ({ name, path: filterPath(name), wanted }));
  return (metadata) => {
    // An index loop is faster than an iterator, and a search in memory calls this function for every document.
    for (let index = 0; index < conditions.length; index++) {
      const { name, path, wanted } = conditions[index] as (typeof conditions)[number];
      if (metadata === undefined) return false;
      if (hasField(metadata, name, wanted)) continue;
      if (path.length === 1 || !hasValue(metadata, path, wanted)) return false;
    }
    return true;
  };
}

/** Returns the names of a filter's path: `author.city` becomes `author` and `city`. */
export function filterPath(name: string): string[] {
  return name.split(".");
}

// Only own values match, because an inherited value is not metadata. Most documents have another value, which is
// compared first, because that takes an eighth of the time.
function hasField(metadata: Metadata, name: string, wanted: unknown): boolean {
  return equalJson(metadata[name], wanted) && Object.hasOwn(metadata, name);
}

function hasValue(metadata: Metadata, path: readonly string[], wanted: unknown): boolean {
  let value: unknown = metadata;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return false;
    value = value[name];
  }
  return equalJson(value, wanted);
}

/**
 * Returns every pair of a filterable name and its value as strings. Metadata matches a filter exactly if it has all
 * terms of `filterTerms`. A database that can only find strings in arrays can filter with these terms.
 */
export function metadataTerms(metadata: Readonly<Record<string, unknown>> | undefined): string[] {
  const terms = new Set<string>();
  for (const [name, value] of Object.entries(metadata ?? {})) {
    terms.add(toTerm(name, value));
    // A name that contains a dot cannot be part of a path.
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

/** Returns JSON text that is equal for equal values: the names of each object are sorted. */
function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`).join(",")}}`;
}
