import type { EmbeddingProvider, EmbedOptions } from "../vector/embedding-provider.ts";

const gramLength = 3;

/**
 * Embeddings from the text alone: each group of three letters falls into one place of the vector, so that texts which
 * share words are near. It needs no model and gives the same vector everywhere.
 */
export class FakeEmbeddings implements EmbeddingProvider {
  readonly providerId = "fake";
  readonly dimensions: number;
  /** Every list of texts that was embedded, with the key it came with. */
  readonly calls: { texts: readonly string[]; apiKey: string | undefined }[] = [];

  /** `dimensions` is the length of the vectors. @default 256 */
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
  // Padded, so that the shortest text has a direction too.
  const padded = ` ${text.toLowerCase().replace(/\s+/g, " ").trim()} `.padEnd(gramLength);
  for (let at = 0; at + gramLength <= padded.length; at++) {
    const place = hash(padded.slice(at, at + gramLength)) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** FNV-1a over the code units: short, and spreads well enough for a fake. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}
