import { toVendorError } from "./vendor-error.ts";

/** The used fields of the embeddings of a batch. */
type WireEmbeddings = { data?: { index?: number; embedding?: unknown }[]; error?: unknown };

/**
 * Reads the vectors of a batch of texts from a response, in the order of the texts; the vendor promises no order.
 * Throws `VendorError` for an error in the body.
 */
export function readVectors(body: unknown): number[][] {
  const { data = [], error } = body as WireEmbeddings;
  if (error !== undefined && error !== null) throw toVendorError(error);
  return data.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0)).map(toVector);
}

/** Some servers ignore the requested compact encoding. */
function toVector({ embedding }: { embedding?: unknown }): number[] {
  if (Array.isArray(embedding)) return embedding as number[];
  const bytes = Buffer.from(typeof embedding === "string" ? embedding : "", "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
