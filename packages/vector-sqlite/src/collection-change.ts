import { metadataTerms, searchedText, toWordIndexText } from "@troupe/core/vector";
import type { VectorWrite, StoredDocument } from "@troupe/core/vector";
import { CollectionKeys, hashOf, toNumber } from "./collection-keys.ts";
import { eachKeyWindow, Pauses } from "./key-windows.ts";
import { bytesOf, toUnit } from "./load-distance.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { VectorTables } from "./vector-tables.ts";

/** A change of the documents of one collection, within a transaction. */
export class CollectionChange {
  readonly #tables: VectorTables;
  readonly #writer: SqliteConnection;
  readonly #number: number;
  readonly #keys: CollectionKeys;
  readonly #pauses = new Pauses();
  readonly #hasText: boolean;

  constructor(tables: VectorTables, writer: SqliteConnection, number: number) {
    this.#tables = tables;
    this.#writer = writer;
    this.#number = number;
    this.#keys = new CollectionKeys(tables, writer, number);
    // Another process may have created the index of words since the last change.
    this.#hasText = writer.row(tables.hasText) !== undefined;
  }

  /** Removes documents by id and by filter, then stores new documents. */
  async make({ documents, deletedIds, deletedWhere }: VectorWrite): Promise<void> {
    const found = deletedWhere === undefined ? [] : this.#keys.matching(deletedWhere);
    const named = deletedIds.map((id) => this.#keyOf(id));
    for (const key of [...found, ...named]) {
      if (key === undefined) continue;
      for (const sql of this.#tables.remove) this.#writer.run(sql, key);
      this.#removeText(key);
      if (this.#pauses.isDue) await this.#pauses.pause();
    }
    let next = this.#keys.bounds().last + 1;
    for (const document of documents) {
      const known = this.#keyOf(document.id);
      if (known !== undefined) this.#forget(known);
      this.#store(known ?? next++, document);
      if (this.#pauses.isDue) await this.#pauses.pause();
    }
  }

  /** Removes all documents of the collection. */
  async clear(): Promise<void> {
    await eachKeyWindow(this.#keys.bounds(), { most: 1000 }, ({ after, last }) => {
      for (const sql of this.#tables.removeRange) this.#writer.run(sql, after, last);
      if (this.#hasText) this.#writer.run(this.#tables.removeTextRange, after, last);
    });
  }

  /** Removes the terms and words of a document that is replaced. */
  #forget(key: number): void {
    this.#writer.run(this.#tables.removeTerms, key);
    this.#removeText(key);
  }

  #removeText(key: number): void {
    if (this.#hasText) this.#writer.run(this.#tables.removeText, key);
  }

  #keyOf(id: string): number | undefined {
    return toNumber(this.#writer.row(this.#tables.key, this.#number, id)?.[0]);
  }

  #store(key: number, { id, content, metadata, vector, length }: StoredDocument): void {
    // Vectors of extreme length are stored scaled, because the distance is computed in 32 bits.
    const isPlain = length > 1e-12 && length < 1e12;
    const [searched, original] = isPlain ? [vector, null] : [toUnit(vector, length), bytesOf(vector)];
    const json = metadata === undefined ? null : JSON.stringify(metadata);
    this.#writer.run(this.#tables.setVector, key, this.#number, id, bytesOf(searched));
    this.#writer.run(this.#tables.setDocument, key, content, json, original);
    if (this.#hasText)
      this.#writer.run(this.#tables.addText, key, toWordIndexText(searchedText({ content, metadata })));
    for (const term of metadataTerms(metadata)) this.#writer.run(this.#tables.addTerm, hashOf(term), key);
  }
}
