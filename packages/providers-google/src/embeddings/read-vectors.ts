/** The fields read of the embeddings of a batch, which come in the order of their texts. */
type WireEmbeddings = { embeddings?: { values?: number[] }[] };

/**
 * Reads the vectors of a batch of texts from the JSON of a response. Throws on a wrong number of vectors or a wrong
 * length: vectors would go to the wrong texts. Without `length`, all must have the same one.
 */
export function readVectors(text: string, expected: { count: number; length: number | undefined }): number[][] {
  const { embeddings = [] } = JSON.parse(text) as WireEmbeddings;
  const vectors = embeddings.map(({ values = [] }) => values);
  const length = expected.length ?? vectors[0]?.length ?? 0;
  const isWhole = vectors.length === expected.count && length > 0 && vectors.every((each) => each.length === length);
  if (isWhole) return vectors;
  throw new Error(`${expected.count} vectors of one length were asked for, and other ones came.`);
}

/** Scales a vector to length 1, which Google's vectors lack after they were shortened to `dimensions`. */
export function toUnitLength(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}
