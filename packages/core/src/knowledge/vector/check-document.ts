import { TroupeError } from "../../base/errors/troupe-error.ts";
import { cleanJson } from "../../base/util/clean-json.ts";
import { keyProblem } from "../../base/util/key-problem.ts";
import type { VectorDocument } from "./vector-store.ts";

/** The maximum content of a document in bytes of UTF-8. Databases reject larger content or slow down. */
const maxContentBytes = 8 * 2 ** 20;

/** The maximum metadata of a document in bytes of JSON. */
const maxMetadataBytes = 2 ** 18;

/**
 * The fields of a document except its embedding: id, content and metadata. A store keeps them separate from the
 * vectors.
 */
export type DocumentFields = Omit<VectorDocument, "embedding">;

/**
 * Throws `invalid_value` for a document id or collection name that is empty or that some store could not store
 * unchanged.
 */
export function checkVectorName(kind: "document id" | "collection name", name: string): void {
  const problem = name === "" ? "must not be empty" : keyProblem(name);
  if (problem !== undefined) throw new TroupeError("invalid_value", `The ${kind} ${problem}.`);
}

/**
 * Copies a document without its embedding. Throws `invalid_value` for an id, content or metadata that cannot be stored.
 */
export function copyDocument({ id, content, metadata }: VectorDocument): DocumentFields {
  checkVectorName("document id", id);
  checkContent(content);
  return { id, content, ...(metadata !== undefined && { metadata: toMetadata(metadata) }) };
}

function checkContent(content: unknown): void {
  const refusal = (problem: string) => new TroupeError("invalid_value", `The content of a document ${problem}.`);
  if (typeof content !== "string" || !content.isWellFormed()) throw refusal("must be a well-formed string");
  // PostgreSQL cannot store the NUL character.
  if (content.includes("\0")) throw refusal("must not hold a NUL character: remove it");
  // A string this short cannot exceed the limit in bytes, so its bytes are not counted.
  if (content.length <= maxContentBytes / 3) return;
  const bytes = Buffer.byteLength(content);
  if (bytes > maxContentBytes)
    throw refusal(`must have at most ${maxContentBytes} bytes in UTF-8, got ${bytes}: split it`);
}

function toMetadata(value: unknown): Record<string, unknown> {
  const metadata = toRecord("metadata", value);
  const text = JSON.stringify(metadata);
  if (holdsNul(text)) {
    throw new TroupeError(
      "invalid_value",
      "metadata must not hold a NUL character: remove it from the names and strings.",
    );
  }
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxMetadataBytes) return metadata;
  const message = `metadata must have at most ${maxMetadataBytes} bytes as JSON, got ${bytes}: keep large values elsewhere.`;
  throw new TroupeError("invalid_value", message);
}

/** Returns true if a name or string in JSON text contains a NUL character, which no stored document contains. */
export function holdsNul(json: string): boolean {
  // A backslash that is escaped itself, before `u0000`, is not a NUL.
  return json.includes("\\u0000") && /(?<!\\)(?:\\\\)*\\u0000/.test(json);
}

/** Copies metadata or a filter. Throws `invalid_value` if the value is not an object of JSON values. */
export function toRecord(name: "metadata" | "filter", value: unknown): Record<string, unknown> {
  const refusal = (place: string, problem: string) => new TroupeError("invalid_value", `${name}${place} ${problem}.`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refusal("", "must be an object");
  return cleanJson(value, refusal) as Record<string, unknown>;
}

/**
 * Returns the Euclidean length of a vector. Throws `invalid_value` for a vector that cannot be compared: empty, beyond
 * 32-bit floats, of another length than the store's vectors, or zero, which has no direction.
 */
export function checkEmbedding(embedding: unknown, dimensions?: number): number {
  if (!Array.isArray(embedding) || embedding.length === 0)
    throw refuseEmbedding("must be a non-empty array of numbers");
  checkDimensions(embedding.length, dimensions);
  const length = euclideanLength(embedding);
  if (length === 0) throw refuseEmbedding("must not be zero, which has no direction");
  // The Euclidean length must also fit a 32-bit float: products of longer vectors would be infinite.
  if (Number.isFinite(Math.fround(length))) return length;
  throw refuseEmbedding("must have only finite numbers that fit into 32-bit floats");
}

/** Throws `invalid_value` if a vector's number of dimensions differs from the store's. */
export function checkDimensions(length: number, dimensions: number | undefined): void {
  if (dimensions === undefined || length === dimensions) return;
  throw refuseEmbedding(`must have ${dimensions} numbers, as the store's vectors, got ${length}`);
}

// The length is computed from 32-bit floats, the form in which the store keeps numbers: very small numbers become zero,
// very large numbers infinite, and values that are not numbers NaN.
function euclideanLength(embedding: readonly unknown[]): number {
  let squares = 0;
  // The loop iterates by index: an iterator is several times slower, and this loop is most of the work of storing a
  // vector.
  for (let index = 0; index < embedding.length; index++) {
    const value = embedding[index];
    const rounded = typeof value === "number" ? Math.fround(value) : NaN;
    squares += rounded * rounded;
  }
  return Math.sqrt(squares);
}

function refuseEmbedding(problem: string): TroupeError {
  return new TroupeError("invalid_value", `The embedding ${problem}.`);
}
