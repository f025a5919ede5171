import { TroupeError } from "@troupe/core";
import type { Json, ListOptions } from "@troupe/core";
import { encodeKey, toJson } from "@troupe/core/adapter";

/**
 * A record as it lies in the collection. Its `_id` is the namespace, encoded so that it holds no `/`, then `/` and the key
 * as it stands: ids of one namespace are neighbours, ordered by the bytes of their keys. The value is JSON text, since
 * BSON has no NUL in names, and its own ideas of names with `$` and of depth. Whoever writes while a lease is held
 * counts `fence` up, so that a takeover and that write cannot both go through.
 */
export type StoredRecord = { _id: string; v: string; fence?: number };

/** MongoDB holds 16 MiB a document; what is left here has room for the longest id there is. */
const largestText = 16 * 1024 * 1024 - 8 * 1024;

const lastCodePoint = 0x10ffff;

/** The `_id` of a record. */
export function idOf(namespace: string, key: string): string {
  return `${encodeKey(namespace)}/${key}`;
}

/** The key of a record of this namespace. */
export function keyOf(namespace: string, id: string): string {
  return id.slice(idOf(namespace, "").length);
}

/** The text to store for a value, or `null` for one that stands for no record; anything else is `invalid_value`. */
export function toText(value: Json | null): string | null {
  const json = toJson(value);
  if (json === null) return null;
  const text = JSON.stringify(json);
  if (Buffer.byteLength(text) <= largestText) return text;
  throw new TroupeError("invalid_value", `MongoDB holds at most ${largestText} bytes of JSON in one record.`);
}

/** Selects the records whose keys begin with the prefix and come behind `after` in the direction of the listing. */
export function idRange(namespace: string, prefix: string, { after, reverse = false }: ListOptions = {}) {
  const first = idOf(namespace, prefix);
  const whole = { _id: { $gte: first, $lt: behind(first) } };
  if (after === undefined) return whole;
  const place = idOf(namespace, after);
  return { $and: [whole, { _id: reverse ? { $lt: place } : { $gt: place } }] };
}

/** The least text behind all that begin with this one, which is not empty: the bytes of UTF-8 are ordered as code points are. */
function behind(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === lastCodePoint) points.pop();
  const last = points.pop() ?? 0;
  // The code points between are surrogates, which stand for no character.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}
