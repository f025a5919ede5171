/** The vendor takes 2048 texts and 300,000 tokens in one request. A character is about one token at most. */
const mostTexts = 256;
const mostCharacters = 250_000;

/** Splits texts into batches for one embeddings request each, below the vendor's limits of texts and tokens. */
export function splitTexts(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let [batch, characters] = [[] as string[], 0];
  for (const text of texts) {
    const isFull = batch.length === mostTexts || characters + text.length > mostCharacters;
    if (isFull || batches.length === 0) {
      [batch, characters] = [[], 0];
      batches.push(batch);
    }
    batch.push(text);
    characters += text.length;
  }
  return batches;
}
