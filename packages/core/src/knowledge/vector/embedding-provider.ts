/** The options of one call of an `EmbeddingProvider`: the vendor's API key, and a signal that cancels the call. */
export type EmbedOptions = {
  /** The API key for this embedding call, instead of the provider's own key. */
  apiKey?: string;
  /** Signal that aborts the embedding call. */
  signal?: AbortSignal;
};

/** Turns texts into vectors: the more alike the texts, the closer the vectors. */
export interface EmbeddingProvider {
  /** The vendor whose API key the calls need. */
  readonly providerId?: string;
  /**
   * The name of the model. A vector store's collection uses it to recognise comparable vectors. It may change during a
   * call if the vendor replaces the model.
   */
  readonly modelId?: string;
  /** The number of dimensions of every vector, if it is known in advance. */
  readonly dimensions?: number;
  /** Returns the vector of one text. */
  embed(text: string, options?: EmbedOptions): Promise<number[]>;
  /** Returns one vector for each text, in the order of the texts. An empty array makes no request. */
  embedBatch(texts: readonly string[], options?: EmbedOptions): Promise<number[][]>;
}
