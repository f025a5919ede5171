import { checkDimensions, NearestItems, searchedText, toWordIndexText } from "@troupe/core/vector";
import type {
  VectorWrite,
  VectorListQuery,
  VectorSearchQuery,
  TextSearchQuery,
  TextSearchDatabase,
  VectorDatabase,
  VectorListPage,
} from "@troupe/core/vector";
import { TroupeError } from "@troupe/core";
import type { VectorDocument, VectorSearchResult } from "@troupe/core";
import { CollectionChange } from "./collection-change.ts";
import { CollectionKeys, toNumber } from "./collection-keys.ts";
import { eachKeyWindow, Pauses } from "./key-windows.ts";
import { cosineOf, floatsOf, toUnit } from "./load-distance.ts";
import type { Distance } from "./load-distance.ts";
import type { SqliteConnection, SqliteRow } from "./sqlite-connection.ts";
import type { VectorFile } from "./vector-file.ts";
import type { VectorTables } from "./vector-tables.ts";

type Collection = { number: number; dimensions: number | undefined; model: string | undefined };

// A tolerance far greater than the possible error of the scores that a search compares.
const tolerance = 1e-4;

/** The documents of a `SqliteVectorStore` in its file. Long work pauses, so that the process can do other work. */
export class SqliteVectorDatabase implements VectorDatabase, TextSearchDatabase {
  readonly #file: VectorFile;
  readonly #tables: VectorTables;

  constructor(file: VectorFile) {
    this.#file = file;
    this.#tables = file.tables;
  }

  async write(path: string, change: VectorWrite): Promise<void> {
    const { documents } = change;
    await this.#file.write(async (writer) => {
      const known = this.#find(writer, path);
      const dimensions = known?.dimensions ?? documents[0]?.vector.length;
      for (const { vector } of documents) checkDimensions(vector.length, dimensions);
      if (known === undefined && documents.length === 0) return;
      const number = known?.number ?? this.#add(writer, path);
      if (dimensions !== undefined) writer.run(this.#tables.setDimensions, dimensions, number);
      await new CollectionChange(this.#tables, writer, number).make(change);
    });
  }

  async search(path: string, search: VectorSearchQuery): Promise<VectorSearchResult[]> {
    return await this.#file.search(async ({ connection, distance }) => {
      const collection = this.#find(connection, path);
      if (collection === undefined) return [];
      checkDimensions(search.vector.length, collection.dimensions);
      // The search vector is scaled to length 1: squares of a long vector would be infinite, and squares of a short
      // vector would be zero.
      const query = toUnit(search.vector, search.length);
      const keys = new CollectionKeys(this.#tables, connection, collection.number);
      const found = await findNearest(keys, distance, { ...search, vector: query });
      return await this.#results(connection, found, query);
    });
  }

  async get(path: string, id: string): Promise<VectorDocument | null> {
    const row = await this.#file.read((reader) => reader.row(this.#tables.get, path, id));
    if (row === undefined) return null;
    const { vector, original, document } = this.#toStored(row);
    return { ...document, embedding: Array.from(original ?? vector) };
  }

  async searchText(path: string, search: TextSearchQuery): Promise<VectorSearchResult[]> {
    return await this.#file.search(async ({ connection }) => {
      const collection = this.#find(connection, path);
      if (collection === undefined) return [];
      if (connection.row(this.#tables.hasText) === undefined) throw noTextIndex();
      const keys = new CollectionKeys(this.#tables, connection, collection.number);
      const pauses = new Pauses();
      const results: VectorSearchResult[] = [];
      for (const [key, relevance] of findMatching(keys, search)) {
        const row = connection.row(this.#tables.getByKey, key ?? null);
        if (row === undefined) throw this.#corrupt();
        // SQLite's measure of a match (`bm25`) is negative, and a smaller number is a better match.
        results.push({ document: this.#toStored(row).document, score: -Number(relevance) });
        if (pauses.isDue) await pauses.pause();
      }
      return results;
    });
  }

  async hasTextIndex(): Promise<boolean> {
    return (await this.#file.read((reader) => reader.row(this.#tables.hasText))) !== undefined;
  }

  /** Creates the index of words for all documents of the file, in one change. */
  async createTextIndex(): Promise<void> {
    await this.#file.write(async (writer) => {
      if (writer.row(this.#tables.hasText) !== undefined) return;
      writer.run(this.#tables.createText);
      const pauses = new Pauses();
      for (let after = -1; ; await pauses.pause()) {
        const rows = writer.rows(this.#tables.contents, after, 100);
        for (const [key, content, metadata] of rows) {
          const known = typeof metadata === "string" && { metadata: this.#parse(metadata) };
          const text = searchedText({ content: String(content), ...known });
          writer.run(this.#tables.addText, key ?? null, toWordIndexText(text));
        }
        if (rows.length < 100) return;
        after = Number(rows.at(-1)?.[0]);
      }
    });
  }

  async list(path: string, { prefix, after, limit }: VectorListQuery): Promise<VectorListPage> {
    // The end of the range: no character of an id sorts after the last character of Unicode.
    const bounds = [prefix, after ?? "", `${prefix}\u{10ffff}\u{10ffff}`];
    const rows = await this.#file.read((reader) => reader.rows(this.#tables.list, path, ...bounds, limit + 1));
    const documents = rows.slice(0, limit).map(([id, metadata]) => ({
      id: String(id),
      ...(typeof metadata === "string" && { metadata: this.#parse(metadata) }),
    }));
    const last = documents.at(-1);
    return { documents, ...(last !== undefined && rows.length > limit && { next: last.id }) };
  }

  async clear(path: string): Promise<void> {
    await this.#file.write(async (writer) => {
      const collection = this.#find(writer, path);
      if (collection === undefined) return;
      await new CollectionChange(this.#tables, writer, collection.number).clear();
      writer.run(this.#tables.removeCollection, collection.number);
    });
  }

  async rememberModel(path: string, model: string): Promise<string> {
    const known = await this.#file.read((reader) => this.#find(reader, path)?.model);
    if (known !== undefined) return known;
    return await this.#file.write(async (writer) => {
      const collection = this.#find(writer, path);
      if (collection?.model !== undefined) return collection.model;
      writer.run(this.#tables.setModel, model, collection?.number ?? this.#add(writer, path));
      return model;
    });
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  #find(connection: SqliteConnection, path: string): Collection | undefined {
    const row = connection.row(this.#tables.collection, path);
    if (row === undefined) return undefined;
    const [number, dimensions, model] = row;
    return {
      number: Number(number),
      dimensions: toNumber(dimensions),
      model: typeof model === "string" ? model : undefined,
    };
  }

  #add(writer: SqliteConnection, path: string): number {
    return Number(writer.row(this.#tables.addCollection, path)?.[0]);
  }

  async #results(
    connection: SqliteConnection,
    keys: readonly number[],
    query: Float32Array,
  ): Promise<VectorSearchResult[]> {
    const pauses = new Pauses();
    const results: VectorSearchResult[] = [];
    for (const key of keys) {
      const row = connection.row(this.#tables.getByKey, key);
      if (row === undefined) throw this.#corrupt();
      const { vector, document } = this.#toStored(row);
      // The score is computed again in 64 bits, because the extension's sums lose some of the last digits.
      results.push({ document, score: cosineOf(vector, query) });
      if (pauses.isDue) await pauses.pause();
    }
    return results;
  }

  #toStored([id, vector, content, metadata, original]: SqliteRow) {
    if (!(vector instanceof Uint8Array)) throw this.#corrupt();
    return {
      document: {
        id: String(id),
        content: String(content),
        ...(typeof metadata === "string" && { metadata: this.#parse(metadata) }),
      },
      vector: floatsOf(vector),
      original: original instanceof Uint8Array ? floatsOf(original) : undefined,
    };
  }

  #parse(metadata: string): Record<string, unknown> {
    try {
      return JSON.parse(metadata) as Record<string, unknown>;
    } catch (error) {
      throw this.#corrupt(error);
    }
  }

  #corrupt(cause?: unknown): TroupeError {
    const sentence = `The SQLite file ${this.#file.path} holds a damaged document. Replace it with an intact copy.`;
    return new TroupeError("storage_corrupt", sentence, { cause });
  }
}

/** Returns the keys and measures of the documents that match a text best. */
function findMatching(keys: CollectionKeys, { terms, filter, topK }: TextSearchQuery): SqliteRow[] {
  const { connection, tables } = keys;
  const { after, last } = keys.bounds();
  // A term in quotation marks is read as words in their order, and never as query syntax.
  const query = terms.map((term) => `"${term}"`).join(" OR ");
  const filterTerms = keys.termsOf(filter);
  if (filterTerms === undefined) return connection.rows(tables.matching, query, after, last, topK);
  return connection.rows(tables.matchingWith, query, after, last, filterTerms.rarest, filterTerms.others, topK);
}

function noTextIndex(): TroupeError {
  return new TroupeError("invalid_config", "The SQLite file has no text index. Create it once with createTextIndex().");
}

/** Returns the keys of the documents nearest to a vector of length 1. */
async function findNearest(
  keys: CollectionKeys,
  distance: Distance,
  { vector, filter, topK, minScore }: VectorSearchQuery,
): Promise<number[]> {
  const { connection, tables } = keys;
  const terms = keys.termsOf(filter);
  const sql = (terms === undefined ? tables.nearest : tables.nearestWith)(distance.name);
  const nearest = new NearestItems<{ id: string; key: number }>(topK);
  await eachKeyWindow(keys.bounds(), keys.windowSize(vector.length, terms), ({ after, last }) => {
    const argument = distance.argumentOf(vector);
    const rows =
      terms === undefined
        ? connection.rows(sql, argument, after, last, topK)
        : connection.rows(sql, argument, terms.rarest, after, last, terms.others, topK);
    for (const [key, id, far] of rows) {
      const score = 1 - Number(far);
      if (score < minScore - tolerance || !nearest.wants(score)) break;
      nearest.add({ item: { id: String(id), key: Number(key) }, score });
    }
  });
  return nearest.toSorted().map(({ item }) => item.key);
}
