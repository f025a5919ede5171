import { untilAborted } from "../base/async/until-aborted.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { EmbeddingProvider } from "./vector/embedding-provider.ts";
import type { VectorStore } from "./vector/vector-store.ts";

/**
 * Checks that the vectors of a collection and the embeddings come from the same model. The store remembers the name of
 * the first model. Stores without `rememberModel` and embeddings without `modelId` are not checked.
 */
export class EmbeddingModelCheck {
  readonly #store: VectorStore;
  readonly #collection: string;
  #name: string | undefined;
  #checked: Promise<void> | undefined;

  constructor(store: VectorStore, collection: string) {
    this.#store = store;
    this.#collection = collection;
  }

  /**
   * Throws `invalid_config` for vectors of another model. Called after vectors are made and before they are used,
   * because embeddings may switch to a successor model during a call. The store is asked again only if the model's name
   * has changed, or after a failure.
   */
  async check(embeddings: EmbeddingProvider, signal: AbortSignal | undefined): Promise<void> {
    const name = nameOf(embeddings);
    if (name === undefined || this.#store.rememberModel === undefined) return;
    if (this.#name !== name) {
      this.#name = name;
      this.#checked = this.#ask(name);
    }
    await untilAborted(async () => await this.#checked, signal);
  }

  /** Makes the next check ask the store again, after the collection was cleared. */
  reset(): void {
    this.#name = undefined;
  }

  async #ask(name: string): Promise<void> {
    try {
      const remembered = await this.#store.rememberModel?.(name);
      if (remembered !== undefined && remembered !== name) throw refuse(this.#collection, remembered, name);
    } catch (error) {
      if (this.#name === name) this.#name = undefined;
      throw error;
    }
  }
}

/** Returns the name of the model with its vendor's name as prefix. */
function nameOf({ providerId, modelId }: EmbeddingProvider): string | undefined {
  return modelId === undefined || providerId === undefined ? modelId : `${providerId}/${modelId}`;
}

function refuse(collection: string, remembered: string, name: string): TroupeError {
  const message = `The collection ${JSON.stringify(collection)} has vectors of the model ${JSON.stringify(remembered)}, with which those of ${JSON.stringify(name)} cannot be compared. Use embeddings of the first model, or another collection, or clear() this one and add its documents again.`;
  return new TroupeError("invalid_config", message);
}
