const word = /[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu;

/** How many words, numbers and signs a text has. */
export function countWords(text: string): number {
  return text.match(word)?.length ?? 0;
}

/** The text up to and with so many words. */
export function firstWords(text: string, count: number): string {
  let left = count;
  for (const { index } of text.matchAll(word)) {
    if (left === 0) return text.slice(0, index).trimEnd();
    left -= 1;
  }
  return text;
}
