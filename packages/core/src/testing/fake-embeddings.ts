import type { EmbeddingProvider, EmbedOptions } from "../knowledge/vector/embedding-provider.ts";

const gramLength = 3;

const commonWords = new Set(
  "a an and are as at be but by can do does for from has have how i if in is it its no not of on one or that the their them then there these they this to was what when where which who why will with you your".split(
    " ",
  ),
);

/**
 * Embeddings for tests, without a model. Each group of three characters in a word increases one number of the vector,
 * so that strings with common words are near each other. The same string always has the same vector.
 */
export class FakeEmbeddings implements EmbeddingProvider {
  readonly providerId = "fake";
  readonly dimensions: number;
  /** Strings and API key of each call, except calls without strings. */
  readonly calls: { texts: readonly string[]; apiKey: string | undefined }[] = [];

  /** Makes the embeddings. `dimensions`: length of the vectors. @default 256 */
  constructor(options: { dimensions?: number } = {}) {
    this.dimensions = options.dimensions ?? 256;
  }

  async embed(text: string, options: EmbedOptions = {}): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], options: EmbedOptions = {}): Promise<number[][]> {
    options.signal?.throwIfAborted();
    if (texts.length > 0) this.calls.push({ texts: [...texts], apiKey: options.apiKey });
    return texts.map((text) => embedText(text, this.dimensions));
  }
}

function embedText(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of wordsOf(text)) {
    // Words are padded, so that even an empty string has a non-zero vector.
    const padded = ` ${word} `.padEnd(gramLength);
    for (let at = 0; at + gramLength <= padded.length; at++) {
      const place = hash(padded.slice(at, at + gramLength)) % dimensions;
      vector[place] = (vector[place] ?? 0) + 1;
    }
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Returns the words of a text, without the most common English words unless there are no others. */
function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [text];
  const telling = words.filter((word) => !commonWords.has(word));
  return telling.length > 0 ? telling : words;
}

/** Returns the FNV-1a hash of a string's code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}
