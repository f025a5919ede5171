import { createHash } from "node:crypto";
import { TroupeError } from "@troupe/core";
import type { VectorDocument } from "@troupe/core";
import { filterTerms, metadataTerms } from "@troupe/core/vector";
import type { VectorWithLength, MetadataFilter, StoredDocument } from "@troupe/core/vector";
import { toSparseVector, wordsVector } from "./stored-words.ts";
import type { SparseVector } from "./stored-words.ts";

/** The indexed payload field that filters use: the terms of the document's metadata. */
export const termsField = "terms";

/** The payload fields that make a document without its vector. */
export const documentFields = ["id", "content", "metadata"];

/**
 * The payload of a document's point. It has only strings, because Qdrant may round numbers and sort the names in
 * objects.
 */
type PointPayload = {
  id: string;
  content: string;
  /** The metadata as JSON text. */
  metadata?: string;
  [termsField]: string[];
  /** The vector's 32-bit floats in base64, little-endian, if the point's own vector differs. */
  vector?: string;
};

/** The vector of a point that has words too. The document's own vector has no name. */
type NamedVectors = { "": number[]; [wordsVector]: SparseVector };

/** A Qdrant point in a request. */
export type NewPoint = { id: string; vector: number[] | NamedVectors; payload: PointPayload };

/** A Qdrant point in a reply. None of its fields are checked. */
export type FoundPoint = { payload?: Record<string, unknown> | null | undefined; vector?: unknown };

/** A Qdrant filter that finds points by terms of metadata. */
export type TermsFilter = { must: { key: string; match: { value: string } }[] };

/** Makes the Qdrant point of a document, with its words if the Qdrant collection takes them. */
export function toPoint(
  { id, content, metadata, vector, length }: StoredDocument,
  { takesWords }: { takesWords: boolean },
): NewPoint {
  const isKept = isUnit({ vector, length });
  const payload: PointPayload = { id, content, [termsField]: metadataTerms(metadata).map(toIndexedTerm) };
  if (metadata !== undefined) payload.metadata = JSON.stringify(metadata);
  if (!isKept) payload.vector = encodeVector(vector);
  const own = isKept ? Array.from(vector) : toUnit({ vector, length });
  const words = takesWords ? toSparseVector({ content, metadata }) : undefined;
  return { id: pointIdOf(id), vector: words === undefined ? own : { "": own, [wordsVector]: words }, payload };
}

/**
 * Reads a document without its vector from a point. Throws `storage_corrupt` for a point that this store did not write.
 */
export function toDocument({ payload }: FoundPoint): VectorDocument {
  const { id, content, metadata } = payload ?? {};
  if (typeof id !== "string" || typeof content !== "string") throw damaged();
  return { id, content, ...(metadata !== undefined && { metadata: parseMetadata(metadata) }) };
}

/** Reads the id and metadata of a document from a point that was read with these two payload fields. */
export function toHead({ payload }: FoundPoint): Omit<VectorDocument, "content" | "embedding"> {
  const { id, metadata } = toDocument({ payload: { content: "", ...payload } });
  return { id, ...(metadata !== undefined && { metadata }) };
}

/** Reads a document with its vector from a point with the whole payload and the vector. */
export function toWholeDocument(point: FoundPoint): VectorDocument {
  const kept = point.payload?.["vector"];
  const vector = typeof kept === "string" ? decodeVector(kept) : ownVector(point.vector);
  if (!Array.isArray(vector)) throw damaged();
  const embedding = vector.map((value) => Math.fround(Number(value)));
  const { id, content, metadata } = toDocument(point);
  return { id, content, embedding, ...(metadata !== undefined && { metadata }) };
}

/** Returns the document's own vector of a point, which Qdrant puts beside the words if the point has some. */
function ownVector(vector: unknown): unknown {
  return Array.isArray(vector) || typeof vector !== "object" || vector === null ? vector : Reflect.get(vector, "");
}

/** Returns the id of a document's point: a UUID (version 8) with 122 bits of the SHA-256 of the document's id. */
export function pointIdOf(id: string): string {
  const bytes = createHash("sha256").update(id).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Makes the Qdrant filter for points whose metadata matches. Returns `undefined` for an empty filter. */
export function toTermsFilter(filter: MetadataFilter): TermsFilter | undefined {
  const terms = filterTerms(filter).map(toIndexedTerm);
  if (terms.length === 0) return undefined;
  return { must: terms.map((value) => ({ key: termsField, match: { value } })) };
}

/** Divides a vector by its length. */
export function toUnit({ vector, length }: VectorWithLength): number[] {
  return Array.from(vector, (value) => value / length);
}

/**
 * Returns true if a vector has length 1 within the precision of 32-bit floats, like the vectors of most models. Its dot
 * product with another such vector is then the cosine, and the vector is not stored twice.
 */
function isUnit({ vector, length }: VectorWithLength): boolean {
  if (Math.abs(length - 1) > 5e-7) return false;
  // JSON cannot represent -0.
  return !vector.some((value) => Object.is(value, -0));
}

// Returns a short term unchanged and a long term as its hash. Terms begin with a quotation mark, so no hash equals a
// term. With 192 bits, no two terms with the same hash are to be expected.
function toIndexedTerm(term: string): string {
  if (term.length <= 100) return term;
  return `sha256:${createHash("sha256").update(term).digest().subarray(0, 24).toString("base64url")}`;
}

function encodeVector(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}

function decodeVector(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}

function parseMetadata(text: unknown): Record<string, unknown> {
  try {
    return JSON.parse(text as string) as Record<string, unknown>;
  } catch {
    throw damaged();
  }
}

function damaged(): TroupeError {
  const sentence =
    "A point in Qdrant is not one that this store wrote. Remove what other programs put into the collection.";
  return new TroupeError("storage_corrupt", sentence);
}
