import { equalJson } from "../util/equal-json.ts";
import { checkEmbedding, copyDocument } from "./check-document.ts";
import type { DocumentFields } from "./check-document.ts";
import { CosineRows } from "./cosine-rows.ts";
import { NearestItems } from "./nearest-items.ts";
import type { CheckedSearchOptions } from "./read-search-options.ts";
import type { VectorDocument, VectorSearchResult } from "./vector-store.ts";

/**
 * The documents and vectors of one in-memory store or collection, and the search over them. The vector of each document
 * is in the row of the same number.
 */
export class VectorSpace {
  readonly #dimensions: number | undefined;
  readonly #collections = new Map<string, VectorSpace>();
  readonly #documents: DocumentFields[] = [];
  readonly #rowOf = new Map<string, number>();
  #rows: CosineRows | undefined;

  constructor(dimensions?: number) {
    this.#dimensions = dimensions;
  }

  /** Returns the collection of this name, and creates it when it is new. */
  collection(name: string): VectorSpace {
    const collection = this.#collections.get(name) ?? new VectorSpace(this.#dimensions);
    this.#collections.set(name, collection);
    return collection;
  }

  upsert(document: DocumentFields, vector: readonly number[]): void {
    const length = checkEmbedding(vector, this.#rows?.dimensions ?? this.#dimensions);
    const row = this.#rowOf.get(document.id) ?? this.#documents.length;
    this.#rows ??= new CosineRows(vector.length);
    this.#rows.set(row, { vector, length });
    this.#documents[row] = document;
    this.#rowOf.set(document.id, row);
  }

  search(vector: readonly number[], { topK, minScore, filter }: CheckedSearchOptions): VectorSearchResult[] {
    const length = checkEmbedding(vector, this.#rows?.dimensions ?? this.#dimensions);
    const nearest = new NearestItems<DocumentFields>(topK);
    this.#rows?.eachCosine({ vector, length }, (row, score) => {
      // The filter last: few documents come so far.
      if (score < minScore || !nearest.wants(score)) return;
      const item = this.#documents[row] as DocumentFields;
      if (matchesFilter(item.metadata, filter)) nearest.add({ item, score });
    });
    return nearest.toSorted().map(({ item, score }) => ({ document: copyDocument(item), score }));
  }

  get(id: string): VectorDocument | null {
    const row = this.#rowOf.get(id);
    const document = row === undefined ? undefined : this.#documents[row];
    if (row === undefined || document === undefined || this.#rows === undefined) return null;
    return { ...copyDocument(document), embedding: this.#rows.get(row) };
  }

  /** Removes a document by moving the last one into its place. */
  delete(id: string): void {
    const row = this.#rowOf.get(id);
    const last = this.#documents.at(-1);
    if (row === undefined || last === undefined) return;
    this.#documents[row] = last;
    this.#rowOf.set(last.id, row);
    this.#documents.pop();
    this.#rowOf.delete(id);
    this.#rows?.replaceByLast(row);
  }

  clear(): void {
    this.#documents.length = 0;
    this.#rowOf.clear();
    this.#rows = undefined;
  }

  /** Removes everything, also the collections. */
  dispose(): void {
    this.clear();
    this.#collections.clear();
  }
}

// Only own values match: an inherited one is not metadata.
function matchesFilter(metadata: DocumentFields["metadata"], filter: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(filter).every(
    (key) => metadata !== undefined && Object.hasOwn(metadata, key) && equalJson(metadata[key], filter[key]),
  );
}
