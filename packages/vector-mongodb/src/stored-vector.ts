import { filterTerms, metadataTerms } from "@troupe/core/vector";
import type { VectorWithLength, DocumentFields, MetadataFilter, StoredDocument } from "@troupe/core/vector";
import type { Binary, Filter } from "mongodb";
import { toWords } from "./stored-words.ts";
import type { StoredWords } from "./stored-words.ts";

/**
 * The field with the vector of a document. Each number of dimensions has its own field, because an index supports only
 * one.
 */
export type VectorField = `vector${number}`;

/**
 * A document in MongoDB. Its `_id` is the scope, `/` and the document's id. Metadata is JSON text, because BSON
 * restricts names and depth; filters use `terms`.
 */
export type StoredVector = Partial<StoredWords> & {
  _id: string;
  /** Identifies a collection of the store from its creation to the next `clear`. */
  scope: string;
  id: string;
  content: string;
  metadata?: string;
  /** Hashes of the metadata's terms. All have the same short length, as an index requires. */
  terms: string[];
  /** The number of the change that stored the document. */
  change: number;
  /**
   * The number of the change, set only in the last document that the change stored. A search for it shows if the vector
   * index already contains that change.
   */
  lastOf?: number;
  /** The Euclidean length of the vector in the vector field. */
  length: number;
  /** The original vector, if the vector in the vector field had to be scaled. */
  original?: Binary;
  [field: VectorField]: Binary;
};

/**
 * The entry of a collection in the catalog: its name, scope, number of changes, dimensions and model. `hasWords` is true
 * if all of its documents are stored with their words.
 */
export type CatalogEntry = {
  _id: string;
  path: string;
  scope: string;
  changes: number;
  dimensions?: number;
  model?: string;
  hasWords?: boolean;
};

/** A function that makes MongoDB's binary value of a vector. */
export type ToBinary = (vector: Float32Array) => Binary;

/** Bounds of a vector's length. Beyond them, the index's products of 32-bit floats lose precision or overflow. */
const [shortest, longest] = [1e-4, 1e4];

/** Returns the name of the field for vectors with this number of dimensions. */
export function vectorField(dimensions: number): VectorField {
  return `vector${dimensions}`;
}

/** Returns the key of a collection in the catalog: a hash of its path, which may be too long for an index. */
export function keyOf(path: string): string {
  return hash(path, 43);
}

/** Returns the `_id` of a stored document. */
export function idOf(scope: string, id: string): string {
  return `${scope}/${id}`;
}

/** Makes the MongoDB filter for all documents of a scope that match a metadata filter. */
export function inScope(scope: string, filter: MetadataFilter = {}): Filter<StoredVector> {
  // An empty filter uses the index of ids, because the index of terms contains each document several times.
  if (Object.keys(filter).length === 0) return { _id: { $gte: `${scope}/`, $lt: `${scope}0` } };
  return { scope, ...withTerms(filter) };
}

/** Converts a metadata filter to a part of a MongoDB filter: each of its terms must be present. */
export function withTerms(filter: MetadataFilter): { terms?: string; $and?: { terms: string }[] } {
  // MongoDB uses the index for one term of the filter and compares the others, so the first term is put apart.
  const [first, ...others] = filterParts(filter);
  return { ...first, ...(others.length > 0 && { $and: others }) };
}

/** Makes a condition for each name of a metadata filter. */
export function filterParts(filter: MetadataFilter): { terms: string }[] {
  return hashTerms(filterTerms(filter)).map((term) => ({ terms: term }));
}

/** Hashes terms to 192 bits each, written with 32 characters. */
function hashTerms(terms: readonly string[]): string[] {
  return terms.map((term) => hash(term, 32));
}

/** Makes the MongoDB record of a document. */
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
    ...toWords({ content, metadata }),
    change,
    length: isUsual ? length : 1,
    ...(!isUsual && { original: toBinary(vector) }),
    [vectorField(vector.length)]: toBinary(isUsual ? vector : toUnit({ vector, length })),
  };
}

/** Scales a vector to length 1. */
export function toUnit({ vector, length }: VectorWithLength): Float32Array {
  return vector.map((number) => number / length);
}

/** Returns the document of a MongoDB record, without its vector. */
export function toFields({ id, content, metadata }: StoredVector): DocumentFields {
  const parsed = metadata === undefined ? {} : { metadata: JSON.parse(metadata) as Record<string, unknown> };
  return { id, content, ...parsed };
}

function hash(text: string, characters: number): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("base64url").slice(0, characters);
}

/** Returns the id and metadata of a MongoDB record. */
export function toHead({ id, metadata }: Pick<StoredVector, "id" | "metadata">): Omit<DocumentFields, "content"> {
  return { id, ...(metadata !== undefined && { metadata: JSON.parse(metadata) as Record<string, unknown> }) };
}
