import type { MongoFailures } from "@troupe-internal/mongodb";
import type { VectorDocument, VectorSearchResult } from "@troupe/core";
import type {
  VectorWrite,
  VectorListQuery,
  VectorSearchQuery,
  TextSearchQuery,
  TextSearchDatabase,
  VectorDatabase,
  VectorListPage,
} from "@troupe/core/vector";
import { isDuplicate } from "@troupe-internal/mongodb";
import { readEntry, readVector } from "./exact-search.ts";
import { repeatOnConflict } from "./in-one-step.ts";
import type { OpenVectors } from "./open-vectors.ts";

import { idOf, keyOf, toFields, toHead, vectorField } from "./stored-vector.ts";
import type { CatalogEntry } from "./stored-vector.ts";
import { createWords, hasWords, searchWords } from "./text-search.ts";
import { newEntry, writeChange } from "./write-change.ts";
import { WriteQueue } from "./write-queue.ts";

/** Finds the nearest documents of a collection. */
export interface Finder {
  find(path: string, search: VectorSearchQuery): Promise<VectorSearchResult[]>;
  /** Throws for a number of dimensions that cannot be searched. */
  checkDimensions?(dimensions: number): void;
  /** Starts building the index for searches with this number of dimensions. */
  prepare?(dimensions: number): Promise<void>;
}

/** Number of documents that `clear` removes at once. */
const clearedAtOnce = 5000;

/** The operations of `MongoDbVectorStore` on its two collections. `MongoFailures` converts all errors. */
export class MongoDbVectorDatabase implements VectorDatabase, TextSearchDatabase {
  readonly #vectors: OpenVectors;
  readonly #finder: Finder;
  readonly #failures: MongoFailures;
  readonly #writes = new WriteQueue();

  constructor(vectors: OpenVectors, { finder, failures }: { finder: Finder; failures: MongoFailures }) {
    this.#vectors = vectors;
    this.#finder = finder;
    this.#failures = failures;
  }

  async write(path: string, change: VectorWrite): Promise<void> {
    const [first] = change.documents;
    await this.#converted(async () => {
      if (first !== undefined) this.#finder.checkDimensions?.(first.vector.length);
      await this.#writes.run(path, async () => await writeChange(this.#vectors, { path, change }));
      if (first !== undefined) await this.#finder.prepare?.(first.vector.length);
    });
  }

  async search(path: string, search: VectorSearchQuery): Promise<VectorSearchResult[]> {
    return await this.#converted(async () => await this.#finder.find(path, search));
  }

  async searchText(path: string, search: TextSearchQuery): Promise<VectorSearchResult[]> {
    return await this.#converted(async () => await searchWords(this.#vectors, path, search));
  }

  async hasTextIndex(path: string): Promise<boolean> {
    return await this.#converted(async () => await hasWords(this.#vectors, path));
  }

  async createTextIndex(path: string): Promise<void> {
    await this.#converted(async () => await createWords(this.#vectors, path));
  }

  async get(path: string, id: string): Promise<VectorDocument | null> {
    return await this.#converted(async () => {
      const entry = await readEntry(this.#vectors, path);
      if (entry?.dimensions === undefined) return null;
      const stored = await this.#vectors.documents.findOne({ _id: idOf(entry.scope, id) });
      if (stored === null) return null;
      const vector = readVector(stored.original ?? stored[vectorField(entry.dimensions)]);
      return { ...toFields(stored), embedding: [...vector] };
    });
  }

  async list(path: string, { prefix, after, limit }: VectorListQuery): Promise<VectorListPage> {
    return await this.#converted(async () => {
      const entry = await readEntry(this.#vectors, path);
      if (entry?.dimensions === undefined) return { documents: [] };
      const { scope } = entry;
      const first = { $gte: idOf(scope, prefix), $lt: `${scope}0` };
      const range = { _id: after === undefined ? first : { ...first, $gt: after } };
      const options = { sort: { _id: 1 as const }, limit, projection: { id: 1, metadata: 1 } };
      const found = await this.#vectors.documents.find(range, options).toArray();
      const own = found.filter(({ id }) => id.startsWith(prefix));
      const documents = own.map((stored) => toHead(stored));
      // In this range, ids with the prefix come before all other ids, so that a page that contains an id without the
      // prefix is the last page.
      const next = own.length === limit ? own.at(-1)?._id : undefined;
      return { documents, ...(next !== undefined && { next }) };
    });
  }

  async clear(path: string): Promise<void> {
    await this.#converted(async () => await this.#writes.run(path, async () => await this.#clear(keyOf(path))));
  }

  async rememberModel(path: string, model: string): Promise<string> {
    const remember = async () => await this.#rememberModel(newEntry(path), model);
    return await this.#converted(async () => await repeatOnConflict(remember, this.#vectors.timeoutMs));
  }

  async close(): Promise<void> {
    await this.#vectors.close();
  }

  /**
   * Clears a collection. Removing its catalog entry makes it empty in one step. Afterwards its documents are removed,
   * and any documents that a stopped process has left.
   */
  async #clear(_id: string): Promise<void> {
    const { catalog, documents } = this.#vectors;
    await catalog.deleteOne({ _id });
    const scopes = await documents.distinct("scope", { scope: { $gte: `${_id}.`, $lt: `${_id}/` } });
    // The catalog is read after the scopes. A scope that had documents at that time, and is no longer in the catalog,
    // was cleared.
    const current = await catalog.findOne({ _id });
    const cleared = { scope: { $in: scopes.filter((scope) => scope !== current?.scope) } };
    for (;;) {
      const found = await documents.find(cleared, { projection: { _id: 1 }, limit: clearedAtOnce }).toArray();
      if (found.length === 0) return;
      await documents.deleteMany({ _id: { $in: found.map((document) => document._id) } });
    }
  }

  /**
   * Stores the name of a collection's embedding model if there is none, and returns the stored name. The filter of the
   * upsert does not match a collection that has a model name, so that its insert fails as a duplicate.
   */
  async #rememberModel({ _id, ...first }: CatalogEntry, model: string): Promise<string> {
    const { catalog } = this.#vectors;
    const change = { $set: { model }, $setOnInsert: first };
    try {
      await catalog.updateOne({ _id, model: { $exists: false } }, change, { upsert: true });
      return model;
    } catch (error) {
      const remembered = isDuplicate(error) ? (await catalog.findOne({ _id }))?.model : undefined;
      if (remembered === undefined) throw error;
      return remembered;
    }
  }

  async #converted<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw this.#failures.from(error);
    }
  }
}
