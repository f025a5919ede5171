/** The vendor takes 2048 texts and 300,000 tokens at once; a character is at most about one token. */
const mostTexts = 256;
const mostCharacters = 250_000;

/** Cuts a list of texts into lists that the vendor takes at once. */
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
