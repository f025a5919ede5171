import type { QdrantClient } from "@qdrant/js-client-rest";
import { TroupeError } from "@troupe/core";
import { checkDimensions } from "@troupe/core/vector";
import { collectionNameOf, createUnlessThere, unlessMissing } from "./collection-registry.ts";
import { termsField } from "./stored-point.ts";
import { wordsConfig, wordsVector } from "./stored-words.ts";

/** The metadata field of a Qdrant collection that contains the collection's path. */
const pathField = "troupe";

/** The metadata field of a Qdrant collection that is true if all of its points have their words. */
const wordsField = "troupe-words";

/**
 * A Qdrant collection as it is: the length of its vectors, and whether it has the index of terms. If `takesWords` is
 * true, its points are stored with their words; if `hasWords` is true, all of them are.
 */
type Described = {
  readonly dimensions: number;
  readonly hasIndex: boolean;
  readonly takesWords: boolean;
  readonly hasWords: boolean;
};

/** The part of a described Qdrant collection that is kept. */
export type OpenCollection = Omit<Described, "hasIndex">;

/** Largest number of dimensions that Qdrant accepts. */
const mostDimensions = 65_536;

const mostKnown = 10_000;
const mostTries = 5;

/**
 * The Qdrant collections that this process knows to exist, with the length of their vectors. A collection that takes no
 * words is read each time, because another process may give it a text index.
 */
export class OpenCollections {
  readonly #client: QdrantClient;
  readonly #prefix: string;
  readonly #known = new Map<string, OpenCollection>();

  constructor(client: QdrantClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  /** Returns true if `open` needs no request for this collection. */
  isKnown(path: string): boolean {
    return this.#known.has(path);
  }

  /** Forgets a collection, because another process may have cleared it. */
  forget(path: string): void {
    this.#known.delete(path);
  }

  /**
   * Ensures that a collection exists and accepts vectors of these lengths; a new collection gets the first length.
   * Returns the collection, or undefined if it does not exist: it is not created if there are no vectors.
   */
  async open(path: string, lengths: readonly number[]): Promise<OpenCollection | undefined> {
    const opened = this.#known.get(path) ?? (await this.#prepare(path, lengths));
    for (const length of lengths) checkDimensions(length, opened?.dimensions);
    return opened;
  }

  /** Reads a collection. `undefined` if it does not exist. */
  async read(path: string): Promise<Described | undefined> {
    const info = await unlessMissing(this.#client.getCollection(this.#nameOf(path)));
    if (info === undefined) return undefined;
    const { metadata, params } = info.config;
    const { size, distance } = params.vectors ?? {};
    if (typeof size === "number" && distance === "Dot" && metadata?.[pathField] === path) {
      return {
        dimensions: size,
        hasIndex: Object.hasOwn(info.payload_schema, termsField),
        takesWords: params.sparse_vectors?.[wordsVector] !== undefined,
        hasWords: metadata[wordsField] === true,
      };
    }
    const sentence = `The collection ${this.#nameOf(path)} in Qdrant is of another program. Give the store another prefix.`;
    throw new TroupeError("invalid_config", sentence);
  }

  /** Returns true if a search by words finds all points of a collection, also if the collection does not exist. */
  async canSearchWords(path: string): Promise<boolean> {
    if (this.#known.get(path)?.hasWords === true) return true;
    const found = await this.read(path);
    if (found?.hasIndex === true) this.#know(path, found);
    return found?.hasWords ?? true;
  }

  /** Stores that all points of a collection have their words. */
  async markWords(path: string): Promise<void> {
    await this.#client.updateCollection(this.#nameOf(path), { metadata: { [pathField]: path, [wordsField]: true } });
  }

  async #prepare(path: string, lengths: readonly number[]): Promise<OpenCollection | undefined> {
    for (let tries = 1; tries <= mostTries; tries++) {
      const found = await this.read(path);
      const size = found?.dimensions ?? lengths[0];
      if (size === undefined) return undefined;
      // The lengths are checked first, so that no collection is created that could not store the vectors.
      for (const length of lengths) checkDimensions(length, size);
      if (found?.hasIndex === true) return this.#know(path, found);
      await this.#complete(path, { size, exists: found !== undefined });
    }
    const sentence = "The collection in Qdrant was cleared again and again while it was prepared. Try again.";
    throw new TroupeError("storage_unavailable", sentence);
  }

  /** Creates a Qdrant collection and its index if they are missing. */
  async #complete(path: string, { size, exists }: { size: number; exists: boolean }): Promise<void> {
    if (!exists) await this.#create(path, size);
    // Another process may clear the collection before its index is created.
    await unlessMissing(this.#index(path));
  }

  #know(path: string, { dimensions, takesWords, hasWords }: OpenCollection): OpenCollection {
    const opened = { dimensions, takesWords, hasWords };
    if (this.#known.size >= mostKnown) this.#known.clear();
    if (takesWords) this.#known.set(path, opened);
    return opened;
  }

  async #create(path: string, size: number): Promise<void> {
    if (size > mostDimensions) {
      const sentence = `The embedding must have at most ${mostDimensions} numbers in Qdrant, got ${size}.`;
      throw new TroupeError("invalid_value", sentence);
    }
    // The distance is not Cosine, which changes stored vectors. Our vectors have length 1, so their dot product is the
    // cosine.
    const vectors = { size, distance: "Dot" } as const;
    const metadata = { [pathField]: path, [wordsField]: true };
    const sparse_vectors = { [wordsVector]: wordsConfig };
    await createUnlessThere(this.#client, this.#nameOf(path), { vectors, sparse_vectors, metadata });
  }

  async #index(path: string): Promise<void> {
    const index = { wait: true, field_name: termsField, field_schema: "keyword" } as const;
    await this.#client.createPayloadIndex(this.#nameOf(path), index);
  }

  #nameOf(path: string): string {
    return collectionNameOf(this.#prefix, path);
  }
}
