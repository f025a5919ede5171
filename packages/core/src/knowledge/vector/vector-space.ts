import { compareUtf8 } from "../../base/util/compare-utf8.ts";
import { checkDimensions, copyDocument } from "./check-document.ts";
import type { DocumentFields } from "./check-document.ts";
import { CosineRows } from "./cosine-rows.ts";
import { toPredicate } from "./metadata-filter.ts";
import type { MetadataFilter } from "./metadata-filter.ts";
import { NearestItems } from "./nearest-items.ts";
import { searchedText } from "./text/searched-text.ts";
import { TextIndex } from "./text/text-index.ts";
import type {
  VectorWrite,
  StoredDocument,
  VectorListQuery,
  VectorSearchQuery,
  TextSearchQuery,
} from "./vector-database.ts";
import type { VectorDocument, VectorListPage, VectorSearchResult } from "./vector-store.ts";

/** The documents and vectors of one in-memory collection. A document and the row of its vector have the same number. */
export class VectorSpace {
  /** The name of the embedding model that made the vectors. */
  model: string | undefined;
  readonly #documents: DocumentFields[] = [];
  readonly #rowOf = new Map<string, number>();
  readonly #texts = new TextIndex();
  /** The ids in order, from the first page of a list until the next change of the ids. */
  #sorted: readonly string[] | undefined;
  #rows: CosineRows | undefined;

  write({ documents, deletedIds, deletedWhere }: VectorWrite): void {
    // All documents are checked before the first is stored.
    const dimensions = this.#rows?.dimensions ?? documents[0]?.vector.length;
    for (const { vector } of documents) checkDimensions(vector.length, dimensions);
    if (dimensions !== undefined) this.#rows ??= new CosineRows(dimensions);
    this.#rows?.reserve(this.#documents.length + documents.length);
    for (const id of [...deletedIds, ...this.#idsOf(deletedWhere)]) this.#delete(id);
    for (const document of documents) this.#store(document);
  }

  search({ topK, minScore, filter, ...query }: VectorSearchQuery): VectorSearchResult[] {
    if (this.#rows === undefined) return [];
    checkDimensions(query.vector.length, this.#rows.dimensions);
    const nearest = new NearestItems<DocumentFields>(topK);
    const visit = (row: number, score: number): void => {
      if (score >= minScore && nearest.wants(score)) {
        nearest.add({ item: this.#documents[row] as DocumentFields, score });
      }
    };
    if (Object.keys(filter).length === 0) this.#rows.eachCosine(query, visit);
    else this.#rows.eachCosineOf(this.#rowsOf(filter), query, visit);
    return nearest.toSorted().map(({ item, score }) => ({ document: copyDocument(item), score }));
  }

  async searchText({ terms, topK, filter }: TextSearchQuery): Promise<VectorSearchResult[]> {
    await this.#texts.complete();
    const nearest = new NearestItems<DocumentFields>(topK);
    const matches = toPredicate(filter);
    this.#texts.eachMatch(terms, (id, score) => {
      if (!nearest.wants(score)) return;
      const item = this.#documents[this.#rowOf.get(id) ?? -1];
      if (item !== undefined && matches(item.metadata)) nearest.add({ item, score });
    });
    return nearest.toSorted().map(({ item, score }) => ({ document: copyDocument(item), score }));
  }

  get(id: string): VectorDocument | null {
    const row = this.#rowOf.get(id);
    const document = row === undefined ? undefined : this.#documents[row];
    if (row === undefined || document === undefined || this.#rows === undefined) return null;
    return { ...copyDocument(document), embedding: this.#rows.get(row) };
  }

  list({ prefix, after, limit }: VectorListQuery): VectorListPage {
    const ids = (this.#sorted ??= [...this.#rowOf.keys()].toSorted(compareUtf8));
    let first = firstOf(ids, (id) => compareUtf8(id, prefix) >= 0);
    if (after !== undefined)
      first = Math.max(
        first,
        firstOf(ids, (id) => compareUtf8(id, after) > 0),
      );
    const found = ids.slice(first, first + limit + 1).filter((id) => id.startsWith(prefix));
    const listed = found.slice(0, limit);
    const documents = listed.flatMap((id) => {
      const document = this.#documents[this.#rowOf.get(id) ?? -1];
      if (document === undefined) return [];
      const { content: _, ...head } = copyDocument(document);
      return [head];
    });
    const last = listed.at(-1);
    return { documents, ...(last !== undefined && found.length > limit && { next: last }) };
  }

  #idsOf(filter: MetadataFilter | undefined): string[] {
    if (filter === undefined) return [];
    return this.#rowsOf(filter).map((row) => (this.#documents[row] as DocumentFields).id);
  }

  #rowsOf(filter: MetadataFilter): number[] {
    const matches = toPredicate(filter);
    const rows: number[] = [];
    for (let row = 0; row < this.#documents.length; row++) {
      if (matches((this.#documents[row] as DocumentFields).metadata)) rows.push(row);
    }
    return rows;
  }

  #store({ vector, length, ...document }: StoredDocument): void {
    const known = this.#rowOf.get(document.id);
    if (known === undefined) this.#sorted = undefined;
    const row = known ?? this.#documents.length;
    const replaced = this.#documents[row];
    if (replaced !== undefined) this.#texts.remove(toText(replaced));
    this.#texts.add(toText(document));
    this.#rows?.set(row, { vector, length });
    this.#documents[row] = document;
    this.#rowOf.set(document.id, row);
  }

  /** Removes a document by moving the last document into its place. */
  #delete(id: string): void {
    const row = this.#rowOf.get(id);
    const last = this.#documents.at(-1);
    if (row === undefined || last === undefined) return;
    this.#sorted = undefined;
    this.#texts.remove(toText(this.#documents[row] ?? last));
    this.#documents[row] = last;
    this.#rowOf.set(last.id, row);
    this.#documents.pop();
    this.#rowOf.delete(id);
    this.#rows?.replaceByLast(row);
  }
}

/** Returns the index of the first string that fits, in an array whose fitting strings come last. */
function firstOf(ids: readonly string[], fits: (id: string) => boolean): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fits(ids[middle] as string)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function toText(document: DocumentFields): { id: string; content: string } {
  return { id: document.id, content: searchedText(document) };
}
