import { TroupeError } from "../errors/troupe-error.ts";

/**
 * Refuses a vector that cannot be compared: one that is empty, not of numbers that 32-bit floats can hold, of another
 * length than the store's, or zero, which has no direction. Returns its Euclidean length.
 */
export function checkEmbedding(embedding: unknown, dimensions?: number): number {
  if (!Array.isArray(embedding) || embedding.length === 0) throw refusal("must be a list of at least one number");
  if (dimensions !== undefined && embedding.length !== dimensions) {
    throw refusal(`has ${embedding.length} numbers, but this store holds vectors of ${dimensions}`);
  }
  const length = lengthOf(embedding);
  if (length === 0) throw refusal("is zero, and so has no direction to compare");
  // In 32 bits, too: the products of longer ones would be infinite.
  if (Number.isFinite(Math.fround(length))) return length;
  throw refusal("must be of finite numbers that fit into 32-bit floats");
}

// As the store sees it: numbers too small for a 32-bit float are zero, too great ones infinite, what is none is NaN.
function lengthOf(embedding: readonly unknown[]): number {
  let squares = 0;
  // By index: an iterator takes six times as long, and this is most of the work of an insert.
  for (let index = 0; index < embedding.length; index++) {
    const value = embedding[index];
    const rounded = typeof value === "number" ? Math.fround(value) : NaN;
    squares += rounded * rounded;
  }
  return Math.sqrt(squares);
}

function refusal(problem: string): TroupeError {
  return new TroupeError("invalid_value", `The embedding ${problem}.`);
}
