import { createHash } from "node:crypto";
import { TroupeError } from "@troupe/core";
import type { VectorWithLength } from "@troupe/core/vector";
import { wordsColumn, wordsDefinition } from "./words-column.ts";
import type { VectorSettings } from "./pg-vector-options.ts";

/**
 * The store's schema and table, and the extension's quoted schema, from which the names of tables and types are made.
 */
export type Names = Pick<VectorSettings, "schema" | "table"> & { readonly extensionSchema: string };

/** Largest numbers of dimensions that pgvector can index as `vector`, can index as `halfvec`, and can store. */
const limits = { vector: 2000, halfvec: 4000, stored: 16_000 } as const;

/** The column type of an HNSW index; undefined if the vectors are too long to index. */
export type IndexedType = "vector" | "halfvec" | undefined;

/** Returns the quoted name of the table that lists the collections. */
export function catalogName({ schema, table }: Names): string {
  return `"${schema}"."${table}"`;
}

/** Returns the key of a collection in the catalog: a hash, because its name may have any length and characters. */
export function collectionKey(collection: string): string {
  return createHash("sha256").update(collection).digest("hex").slice(0, 32);
}

/** Returns the quoted name of the table of a collection, by its key. */
export function tableName({ schema, table }: Names, key: string): string {
  return `"${schema}"."${table}_${key}"`;
}

/**
 * Returns the column type with which vectors of this length are indexed. Throws `invalid_value` for vectors that
 * pgvector cannot store.
 */
export function indexedType(dimensions: number): IndexedType {
  if (dimensions <= limits.vector) return "vector";
  if (dimensions <= limits.halfvec) return "halfvec";
  if (dimensions <= limits.stored) return undefined;
  const message = `The embedding must have at most ${limits.stored} numbers, which is the limit of pgvector, got ${dimensions}.`;
  throw new TroupeError("invalid_value", message);
}

type NewTable = { key: string; dimensions: number; exact: boolean; languages: readonly string[] };

/** Returns the statements that create the table of a collection and its indexes. */
export function createTable(names: Names, { key, dimensions, exact, languages }: NewTable): string {
  const { extensionSchema } = names;
  const [name, type] = [tableName(names, key), exact ? undefined : indexedType(dimensions)];
  const column = `${extensionSchema}.vector(${dimensions})`;
  const table = `create table ${name} (
    id text collate "C" primary key,
    content text not null,
    metadata jsonb,
    embedding ${column} not null,
    original ${column},
    ${wordsDefinition(languages)}
  )`;
  const words = `create index on ${name} using gin (${wordsColumn(languages)})`;
  const filters = `create index on ${name} using gin (metadata jsonb_path_ops); ${words}`;
  if (type === undefined) return `${table}; ${filters}`;
  const indexed = `${searchedExpression(names, type, dimensions)} ${extensionSchema}.${type}_cosine_ops`;
  return `${table}; ${filters}; create index on ${name} using hnsw (${indexed})`;
}

/** Returns the expression of the HNSW index. A search must order by the same expression. */
export function searchedExpression({ extensionSchema }: Names, type: "vector" | "halfvec", dimensions: number): string {
  return type === "vector" ? "embedding" : `(embedding::${extensionSchema}.halfvec(${dimensions}))`;
}

/**
 * Returns the vector to search with, and the original if it differs. Cosines are computed in 32-bit floats, and the
 * index of long vectors uses 16 bits. For vectors of extreme length, a scaled copy is therefore stored beside the
 * original.
 */
export function storedVectors({ vector, length }: VectorWithLength): {
  embedding: Float32Array;
  original?: Float32Array;
} {
  const [least, most] = vector.length <= limits.vector ? [2 ** -40, 2 ** 40] : [2 ** -4, 2 ** 8];
  if (length >= least && length <= most) return { embedding: vector };
  return { embedding: unitVector({ vector, length }), original: vector };
}

/** Returns the vector with the same direction and length 1. */
export function unitVector({ vector, length }: VectorWithLength): Float32Array {
  return vector.map((value) => value / length);
}
