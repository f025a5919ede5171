import { filterTerms, metadataTerms } from "@troupe/core/vector";
import type { DirectedVector, DocumentFields, MetadataFilter, StoredDocument } from "@troupe/core/vector";
import type { Binary, Filter } from "mongodb";

/** The field with the vector of a document, one for each number of dimensions, because an index has only one number. */
export type VectorField = `vector${number}`;

/**
 * A document in MongoDB. Its `_id` is the scope, `/` and the document's id. Metadata is JSON text, because BSON
 * restricts names and depth; filters use `terms`.
 */
export type StoredVector = {
  _id: string;
  /** The collection of the store, and its life between two calls of `clear`. */
  scope: string;
  id: string;
  content: string;
  metadata?: string;
  /** Hashes of the metadata's terms, all of one short length, as an index needs it. */
  terms: string[];
  /** The number of the change that stored the document. */
  change: number;
  /** The same in the last document of the change, by which the vector index shows how far it is. */
  lastOf?: number;
  /** The Euclidean length of the vector in the vector field. */
  length: number;
  /** The vector, when that in the vector field had to be scaled to a usual length. */
  original?: Binary;
  [field: VectorField]: Binary;
};

/** The entry of a collection in the catalog: its name, scope, number of changes, dimensions and model. */
export type CatalogEntry = {
  _id: string;
  path: string;
  scope: string;
  changes: number;
  dimensions?: number;
  model?: string;
};

/** Makes MongoDB's binary value of a vector. */
export type ToBinary = (vector: Float32Array) => Binary;

/** Beyond these, products of 32-bit floats lose their precision or overflow, as the index computes them. */
const [shortest, longest] = [1e-4, 1e4];

/** Returns the name of the field that has vectors of this many dimensions. */
export function vectorField(dimensions: number): VectorField {
  return `vector${dimensions}`;
}

/** Returns the key of a collection in the catalog: a hash of its path, which may be longer than an index takes. */
export function keyOf(path: string): string {
  return hash(path, 43);
}

/** Returns the `_id` of a document. */
export function idOf(scope: string, id: string): string {
  return `${scope}/${id}`;
}

/** Makes the filter for all documents of a scope that match a filter of metadata. */
export function inScope(scope: string, filter: MetadataFilter = {}): Filter<StoredVector> {
  // By ids: the index of terms has a document many times.
  if (Object.keys(filter).length === 0) return { _id: { $gte: `${scope}/`, $lt: `${scope}0` } };
  return { scope, ...withTerms(filter) };
}

/** Makes the part of a MongoDB filter that a filter of metadata is: each of its terms must be there. */
export function withTerms(filter: MetadataFilter): { terms?: string; $and?: { terms: string }[] } {
  // The index serves one term; the others are compared.
  const [first, ...others] = filterParts(filter);
  return { ...first, ...(others.length > 0 && { $and: others }) };
}

/** Makes a condition for each name of a filter of metadata. */
export function filterParts(filter: MetadataFilter): { terms: string }[] {
  return hashTerms(filterTerms(filter)).map((term) => ({ terms: term }));
}

/** Hashes terms, each to 192 bits in 32 characters. */
function hashTerms(terms: readonly string[]): string[] {
  return terms.map((term) => hash(term, 32));
}

/** Makes the record of a document. */
export function toStored(
  { id, content, metadata, vector, length }: StoredDocument,
  { scope, change, toBinary }: { scope: string; change: number; toBinary: ToBinary },
): StoredVector {
  const isUsual = length >= shortest && length <= longest;
  return {
    _id: idOf(scope, id),
    scope,
    id,
    content,
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    terms: hashTerms(metadataTerms(metadata)),
    change,
    length: isUsual ? length : 1,
    ...(!isUsual && { original: toBinary(vector) }),
    [vectorField(vector.length)]: toBinary(isUsual ? vector : toUnit({ vector, length })),
  };
}

/** Scales a vector to the length 1. */
export function toUnit({ vector, length }: DirectedVector): Float32Array {
  return vector.map((number) => number / length);
}

/** Returns the document without its vector. */
export function toFields({ id, content, metadata }: StoredVector): DocumentFields {
  const parsed = metadata === undefined ? {} : { metadata: JSON.parse(metadata) as Record<string, unknown> };
  return { id, content, ...parsed };
}

function hash(text: string, characters: number): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("base64url").slice(0, characters);
}
