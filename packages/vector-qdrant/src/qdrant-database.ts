import type { QdrantClient } from "@qdrant/js-client-rest";
import { TroupeError } from "@troupe/core";
import type { VectorDocument, VectorSearchResult } from "@troupe/core";
import { checkDimensions } from "@troupe/core/vector";
import type {
  VectorWrite,
  VectorListQuery,
  VectorSearchQuery,
  TextSearchQuery,
  TextSearchDatabase,
  VectorDatabase,
  VectorListPage,
} from "@troupe/core/vector";
import { CollectionRegistry, collectionNameOf, unlessMissing } from "./collection-registry.ts";
import { OpenCollections } from "./open-collections.ts";
import { searchPoints } from "./search-points.ts";
import { checkSizes, toRequests } from "./point-requests.ts";
import { isMissing, statusOf } from "./qdrant-failure.ts";
import type { QdrantFailures } from "./qdrant-failure.ts";
import { pointIdOf, toHead, toWholeDocument } from "./stored-point.ts";
import { addWordsVector, searchWords, storeWords } from "./text-search.ts";

/** The client of a `QdrantDatabase`, the conversion of its errors, and the prefix of its collections' names. */
export type QdrantDatabaseInit = { client: QdrantClient; failures: QdrantFailures; prefix: string };

/** Number of attempts to make a change while another process keeps clearing its collection. */
const mostTries = 5;

/** The documents of a `QdrantVectorStore` in collections of Qdrant. */
export class QdrantDatabase implements VectorDatabase, TextSearchDatabase {
  readonly #client: QdrantClient;
  readonly #failures: QdrantFailures;
  readonly #prefix: string;
  readonly #collections: OpenCollections;
  readonly #registry: CollectionRegistry;

  constructor({ client, failures, prefix }: QdrantDatabaseInit) {
    this.#client = client;
    this.#failures = failures;
    this.#prefix = prefix;
    this.#collections = new OpenCollections(client, prefix);
    this.#registry = new CollectionRegistry(client, prefix);
  }

  async write(collection: string, change: VectorWrite): Promise<void> {
    checkSizes(change.documents);
    await this.#use(async () => {
      for (let tries = 1; !(await this.#tryWrite(collection, change)); tries++) {
        if (tries < mostTries) continue;
        const sentence = "The collection was cleared again and again while a change of it was made. Try again.";
        throw new TroupeError("storage_unavailable", sentence);
      }
    });
  }

  async search(collection: string, search: VectorSearchQuery): Promise<VectorSearchResult[]> {
    return await this.#use(async () => {
      try {
        return await searchPoints(this.#client, this.#nameOf(collection), search);
      } catch (error) {
        if (isMissing(error)) return [];
        // The request may have failed because of the length of its vector.
        if (statusOf(error) === 400) {
          checkDimensions(search.vector.length, (await this.#collections.read(collection))?.dimensions);
        }
        throw error;
      }
    });
  }

  /** Searches by words. Throws `invalid_config` for a collection of an older version without a text index. */
  async searchText(collection: string, search: TextSearchQuery): Promise<VectorSearchResult[]> {
    return await this.#use(async () => {
      if (await this.#collections.canSearchWords(collection))
        return (await unlessMissing(searchWords(this.#client, this.#nameOf(collection), search))) ?? [];
      const sentence = "The collection in Qdrant has no text index. Create it once with createTextIndex().";
      throw new TroupeError("invalid_config", sentence);
    });
  }

  async hasTextIndex(collection: string): Promise<boolean> {
    return await this.#use(async () => await this.#collections.canSearchWords(collection));
  }

  /** Gives a collection of an older version its text index. After a failure, the next call continues. */
  async createTextIndex(collection: string): Promise<void> {
    await this.#use(async () => {
      const found = await this.#collections.read(collection);
      if (found === undefined || found.hasWords) return;
      // Writers store words as soon as the collection takes them, so that only older points remain to be read.
      if (!found.takesWords) await addWordsVector(this.#client, this.#nameOf(collection));
      await storeWords(this.#client, this.#nameOf(collection));
      await this.#collections.markWords(collection);
    });
  }

  async get(collection: string, id: string): Promise<VectorDocument | null> {
    return await this.#use(async () => {
      const request = { ids: [pointIdOf(id)], with_payload: true, with_vector: true };
      const [point] = (await unlessMissing(this.#client.retrieve(this.#nameOf(collection), request))) ?? [];
      if (point === undefined) return null;
      const document = toWholeDocument(point);
      if (document.id === id) return document;
      throw new TroupeError("storage_corrupt", "Two document ids have the same point id. Change one of them.");
    });
  }

  async list(collection: string, { prefix, after, limit }: VectorListQuery): Promise<VectorListPage> {
    return await this.#use(async () => {
      const offset = after !== undefined && { offset: after };
      const request = { limit, ...offset, with_payload: ["id", "metadata"], with_vector: false };
      const found = await unlessMissing(this.#client.scroll(this.#nameOf(collection), request));
      const documents = (found?.points ?? []).map(toHead).filter(({ id }) => id.startsWith(prefix));
      const next = found?.next_page_offset;
      return { documents, ...(typeof next === "string" && { next }) };
    });
  }

  async clear(collection: string): Promise<void> {
    await this.#use(async () => {
      this.#collections.forget(collection);
      // The name of the model is removed last: documents must never remain without it.
      await unlessMissing(this.#client.deleteCollection(this.#nameOf(collection)));
      await this.#registry.forgetModel(collection);
    });
  }

  async rememberModel(collection: string, model: string): Promise<string> {
    return await this.#use(async () => await this.#registry.rememberModel(collection, model));
  }

  /** Does nothing: the library closes idle connections after some seconds, and they do not keep the process alive. */
  async close(): Promise<void> {}

  /** Makes a change of a collection. Returns `false` if the collection was replaced since this process last read it. */
  async #tryWrite(collection: string, change: VectorWrite): Promise<boolean> {
    const lengths = change.documents.map(({ vector }) => vector.length);
    const wasKnown = this.#collections.isKnown(collection);
    const opened = await this.#collections.open(collection, lengths);
    if (opened === undefined) return true;
    try {
      for (const operations of toRequests(change, opened)) {
        await this.#client.batchUpdate(this.#nameOf(collection), { wait: true, ordering: "medium", operations });
      }
      // If the collection got its text index meanwhile, the documents are stored again, with their words.
      return opened.takesWords || (await this.#collections.read(collection))?.takesWords !== true;
    } catch (error) {
      this.#collections.forget(collection);
      if (isMissing(error) || (statusOf(error) === 400 && wasKnown)) return false;
      throw error;
    }
  }

  #nameOf(collection: string): string {
    return collectionNameOf(this.#prefix, collection);
  }

  async #use<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw this.#failures.from(error);
    }
  }
}
