import type { QdrantClient } from "@qdrant/js-client-rest";
import { TroupeError } from "@troupe/core";
import { checkDimensions } from "@troupe/core/vector";
import { collectionNameOf, createUnlessThere, unlessMissing } from "./collection-registry.ts";
import { termsField } from "./stored-point.ts";

/** The metadata field of a Qdrant collection that contains the collection's path. */
const pathField = "troupe";

/** Largest number of dimensions that Qdrant accepts. */
const mostDimensions = 65_536;

const mostKnown = 10_000;
const mostTries = 5;

/** The Qdrant collections that this process knows to exist, with the length of their vectors. */
export class OpenCollections {
  readonly #client: QdrantClient;
  readonly #prefix: string;
  readonly #dimensions = new Map<string, number>();

  constructor(client: QdrantClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  /** Returns true if `open` needs no request for this collection. */
  isKnown(path: string): boolean {
    return this.#dimensions.has(path);
  }

  /** Forgets a collection, because another process may have cleared it. */
  forget(path: string): void {
    this.#dimensions.delete(path);
  }

  /**
   * Ensures that a collection exists and accepts vectors of these lengths; the first length determines that of a new
   * collection. Returns true if the collection exists; it is not created if there are no vectors.
   */
  async open(path: string, lengths: readonly number[]): Promise<boolean> {
    const dimensions = this.#dimensions.get(path) ?? (await this.#prepare(path, lengths));
    for (const length of lengths) checkDimensions(length, dimensions);
    return dimensions !== undefined;
  }

  /** Reads the vector length of a collection. `undefined` if the collection does not exist. */
  async read(path: string): Promise<number | undefined> {
    return (await this.#describe(path))?.dimensions;
  }

  async #prepare(path: string, lengths: readonly number[]): Promise<number | undefined> {
    for (let tries = 1; tries <= mostTries; tries++) {
      const found = await this.#describe(path);
      const size = found?.dimensions ?? lengths[0];
      if (size === undefined) return undefined;
      // The lengths are checked first, so that no collection is created that could not store the vectors.
      for (const length of lengths) checkDimensions(length, size);
      if (found?.hasIndex === true) return this.#know(path, size);
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

  #know(path: string, dimensions: number): number {
    if (this.#dimensions.size >= mostKnown) this.#dimensions.clear();
    this.#dimensions.set(path, dimensions);
    return dimensions;
  }

  async #create(path: string, size: number): Promise<void> {
    if (size > mostDimensions) {
      const sentence = `The embedding must have at most ${mostDimensions} numbers in Qdrant, got ${size}.`;
      throw new TroupeError("invalid_value", sentence);
    }
    // The distance is not Cosine, which changes stored vectors. Our vectors have length 1, so their dot product is the
    // cosine.
    const vectors = { size, distance: "Dot" } as const;
    await createUnlessThere(this.#client, this.#nameOf(path), { vectors, metadata: { [pathField]: path } });
  }

  async #index(path: string): Promise<void> {
    const index = { wait: true, field_name: termsField, field_schema: "keyword" } as const;
    await this.#client.createPayloadIndex(this.#nameOf(path), index);
  }

  async #describe(path: string): Promise<{ dimensions: number; hasIndex: boolean } | undefined> {
    const info = await unlessMissing(this.#client.getCollection(this.#nameOf(path)));
    if (info === undefined) return undefined;
    const { size, distance } = info.config.params.vectors ?? {};
    if (typeof size === "number" && distance === "Dot" && info.config.metadata?.[pathField] === path) {
      return { dimensions: size, hasIndex: Object.hasOwn(info.payload_schema, termsField) };
    }
    const sentence = `The collection ${this.#nameOf(path)} in Qdrant is of another program. Give the store another prefix.`;
    throw new TroupeError("invalid_config", sentence);
  }

  #nameOf(path: string): string {
    return collectionNameOf(this.#prefix, path);
  }
}
