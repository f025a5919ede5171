/** The options of one call of an `EmbeddingProvider`: the vendor's API key, and a signal that cancels the call. */
export type EmbedOptions = {
  /** The key for this call, in place of the provider's own. */
  apiKey?: string;
  /** Aborts the call. */
  signal?: AbortSignal;
};

/** Turns texts into vectors: the more alike the texts, the closer the vectors. */
export interface EmbeddingProvider {
  /** The vendor whose API key the calls need. */
  readonly providerId?: string;
  /**
   * The name of the model, by which a collection of a vector store knows vectors that can be compared with its own. It may
   * change within a call when the vendor replaces the model.
   */
  readonly modelId?: string;
  /** The number of dimensions of every vector, when it is known beforehand. */
  readonly dimensions?: number;
  /** Returns the vector of one text. */
  embed(text: string, options?: EmbedOptions): Promise<number[]>;
  /** Returns one vector per text, in the order of the texts. An empty array needs no call. */
  embedBatch(texts: readonly string[], options?: EmbedOptions): Promise<number[][]>;
}
