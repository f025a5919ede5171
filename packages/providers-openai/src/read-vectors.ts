import { toVendorError } from "./vendor-error.ts";

/** The used fields of the embeddings of a batch. */
type WireEmbeddings = { data?: { index?: number; embedding?: unknown }[]; error?: unknown };

/** The expected number and length of vectors. */
type Expected = { count: number; length: number | undefined };

/**
 * Reads the vectors of a batch of texts from a response, in the order of the texts; the vendor promises no order.
 * Throws `VendorError` for an error in the body, and for a wrong number or length of vectors.
 */
export function readVectors(body: unknown, { count, length }: Expected): number[][] {
  const { data = [], error } = body as WireEmbeddings;
  if (error !== undefined && error !== null) throw toVendorError(error);
  const vectors = data.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0)).map(toVector);
  const expected = length ?? vectors[0]?.length ?? 0;
  const isWhole = vectors.length === count && expected > 0 && vectors.every((vector) => vector.length === expected);
  if (isWhole) return vectors;
  throw toVendorError({ code: 502, message: `${count} vectors of one length were asked for, and other ones came.` });
}

/** Some servers ignore the requested compact encoding. */
function toVector({ embedding }: { embedding?: unknown }): number[] {
  if (Array.isArray(embedding)) return embedding as number[];
  const bytes = Buffer.from(typeof embedding === "string" ? embedding : "", "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
