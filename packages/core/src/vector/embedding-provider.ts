/** What one embedding call may be given. */
export type EmbedOptions = { apiKey?: string; signal?: AbortSignal };

/** Turns text into vectors whose closeness means likeness. */
export interface EmbeddingProvider {
  /** The vendor whose key the calls need. */
  readonly providerId?: string;
  /** The length of every vector, when it is known beforehand. */
  readonly dimensions?: number;
  /** Returns the vector of one text. */
  embed(text: string, options?: EmbedOptions): Promise<number[]>;
  /** Returns one vector per text, in the order of the texts. An empty list needs no call. */
  embedBatch(texts: readonly string[], options?: EmbedOptions): Promise<number[][]>;
}
