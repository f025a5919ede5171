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
import type { VectorDocument, VectorSearchResult } from "@troupe/core";
import { inTransaction } from "@troupe-internal/postgres";
import type { Connections, Query } from "@troupe-internal/postgres";
import { catalogName, collectionKey, createTable, indexedType, tableName } from "./collection-table.ts";
import type { Names } from "./collection-table.ts";
import { filterCondition } from "./filter-condition.ts";
import { insertStatements, toDocument } from "./stored-document.ts";
import type { DocumentRow, VectorFormat } from "./stored-document.ts";
import type { VectorSettings } from "./pg-vector-options.ts";
import { readLanguages, searchWords } from "./text-search.ts";
import { addWords } from "./words-column.ts";
import { searchTable } from "./search-table.ts";

/** The parts of a `PgVectorDatabase`. `end` releases the pool; `extensionSchema` is quoted. */
export type PgVectorParts = {
  readonly connections: Connections;
  readonly end: () => Promise<void>;
  readonly format: VectorFormat;
  readonly settings: VectorSettings;
  readonly extensionSchema: string;
};

/**
 * Settings of a write's transaction, which make filters use the metadata index even in a new table. JIT compilation
 * would cost more than it saves.
 */
const planned = "set local enable_seqscan = off; set local jit = off";

/**
 * Error codes of a read whose table `clear` has dropped in the meantime, or which was created again with another vector
 * length.
 */
const meanwhileCleared = ["42P01", "22000"];

type ListedRow = { readonly id: string; readonly metadata: string | null };

/** Largest number of ids in one statement that deletes documents. */
const deletedAtOnce = 10_000;

/**
 * The tables of a `PgVectorStore`: a catalog of collections, and a table for each collection that ever had a document.
 */
export class PgVectorDatabase implements VectorDatabase, TextSearchDatabase {
  readonly #parts: PgVectorParts;
  readonly #names: Names;
  readonly #catalog: string;
  #hasWarned = false;

  constructor(parts: PgVectorParts) {
    const { schema, table } = parts.settings;
    this.#parts = parts;
    this.#names = { schema, table, extensionSchema: parts.extensionSchema };
    this.#catalog = catalogName(this.#names);
  }

  async write(collection: string, change: VectorWrite): Promise<void> {
    const length = change.documents[0]?.vector.length;
    // Throws for vectors that cannot be stored, before any statement is sent.
    if (length !== undefined) indexedType(length);
    await this.#parts.connections.useRepeatedly(async (query) => {
      await inTransaction(query, `begin; ${planned}`, async () => await this.#change(query, collection, change));
    });
  }

  async search(collection: string, search: VectorSearchQuery): Promise<VectorSearchResult[]> {
    const { connections, settings, format } = this.#parts;
    const key = collectionKey(collection);
    return await connections.useRepeatedly(async (query) => {
      const table = { names: this.#names, key, format, settings, warn: (dimensions: number) => this.#warn(dimensions) };
      return await searchTable(query, table, search);
    }, meanwhileCleared);
  }

  async get(collection: string, id: string): Promise<VectorDocument | null> {
    const key = collectionKey(collection);
    return await this.#parts.connections.useRepeatedly(async (query) => {
      if (!(await this.#exists(query, key))) return null;
      const sql = `select id, content, metadata::text as metadata, coalesce(original, embedding)::text as embedding
        from ${tableName(this.#names, key)} where id = $1`;
      const [row] = await query<DocumentRow & { embedding: string }>({ sql, parameters: [id] });
      return row === undefined ? null : { ...toDocument(row), embedding: this.#parts.format.read(row.embedding) };
    }, meanwhileCleared);
  }

  async searchText(collection: string, search: TextSearchQuery): Promise<VectorSearchResult[]> {
    const key = collectionKey(collection);
    return await this.#parts.connections.useRepeatedly(async (query) => {
      if (!(await this.#exists(query, key))) return [];
      return await searchWords(query, tableName(this.#names, key), search);
    }, meanwhileCleared);
  }

  /**
   * Returns true if the table of a collection has the column of its documents' words, for searches by words, or does
   * not exist yet.
   */
  async hasTextIndex(collection: string): Promise<boolean> {
    const key = collectionKey(collection);
    return await this.#parts.connections.useRepeatedly(async (query) => {
      if (!(await this.#exists(query, key))) return true;
      return (await readLanguages(query, tableName(this.#names, key))) !== undefined;
    });
  }

  async createTextIndex(collection: string): Promise<void> {
    const key = collectionKey(collection);
    const table = tableName(this.#names, key);
    await this.#parts.connections.useRepeatedly(async (query) => {
      await inTransaction(query, "begin", async () => {
        // Another process that creates the index or the table waits for this lock.
        await query(plain("select pg_advisory_xact_lock(hashtext('troupe'))"));
        if (!(await this.#exists(query, key))) return;
        if ((await readLanguages(query, table)) !== undefined) return;
        await query(plain(addWords(table, this.#parts.settings.languages)));
      });
    });
  }

  async list(collection: string, { prefix, after, limit }: VectorListQuery): Promise<VectorListPage> {
    const key = collectionKey(collection);
    const rows = await this.#parts.connections.useRepeatedly(async (query) => {
      if (!(await this.#exists(query, key))) return [];
      const sql = `select id, metadata::text as metadata from ${tableName(this.#names, key)}
        where id >= $1 and id > $2 and starts_with(id, $1) order by id limit $3::integer`;
      return await query<ListedRow>({ sql, parameters: [prefix, after ?? "", limit + 1] });
    }, meanwhileCleared);
    const documents = rows.slice(0, limit).map(({ id, metadata }) => ({
      id,
      ...(metadata !== null && { metadata: JSON.parse(metadata) as Record<string, unknown> }),
    }));
    const last = documents.at(-1);
    return { documents, ...(last !== undefined && rows.length > limit && { next: last.id }) };
  }

  async clear(collection: string): Promise<void> {
    const key = collectionKey(collection);
    const forget = `delete from ${this.#catalog} where id = '${key}'`;
    await this.#parts.connections.useRepeatedly(async (query) => {
      await query(plain(`begin; ${forget}; drop table if exists ${tableName(this.#names, key)}; commit`));
    });
  }

  async rememberModel(collection: string, model: string): Promise<string> {
    const key = collectionKey(collection);
    return await this.#parts.connections.useRepeatedly(async (query) => {
      const known = `select model from ${this.#catalog} where id = $1 and model is not null`;
      const [found] = await query<{ model: string }>({ sql: known, parameters: [key] });
      if (found !== undefined) return found.model;
      const keep = `insert into ${this.#catalog} as known (id, collection, model) values ($1, $2, $3)
        on conflict (id) do update set model = coalesce(known.model, excluded.model) returning model`;
      const [kept] = await query<{ model: string }>({ sql: keep, parameters: [key, collection, model] });
      return kept?.model ?? model;
    });
  }

  async close(): Promise<void> {
    await this.#parts.end();
  }

  async #change(query: Query, collection: string, change: VectorWrite): Promise<void> {
    const { documents, deletedIds, deletedWhere } = change;
    const key = collectionKey(collection);
    const dimensions = await this.#lockCollection(query, { collection, key, length: documents[0]?.vector.length });
    if (dimensions === undefined) return;
    for (const { vector } of documents) checkDimensions(vector.length, dimensions);
    const name = tableName(this.#names, key);
    if (deletedWhere !== undefined) {
      const parameters: unknown[] = [];
      const condition = filterCondition(deletedWhere, parameters);
      await query({ sql: `delete from ${name} where ${condition}`, parameters });
    }
    for (let start = 0; start < deletedIds.length; start += deletedAtOnce) {
      const ids = deletedIds.slice(start, start + deletedAtOnce);
      await query({ sql: `delete from ${name} where id = any($1::text[])`, parameters: [ids] });
    }
    for (const statement of insertStatements(documents, { ...this.#names, name, format: this.#parts.format })) {
      await query(statement);
    }
  }

  /**
   * Returns the vector length of a collection, and makes `clear` wait until the transaction ends. Creates the table for
   * the first document; if there is no document, creates no table and returns undefined.
   */
  async #lockCollection(
    query: Query,
    { collection, key, length }: { collection: string; key: string; length: number | undefined },
  ): Promise<number | undefined> {
    const sql = `select dimensions from ${this.#catalog} where id = $1 and dimensions is not null for key share`;
    const [found] = await query<{ dimensions: number }>({ sql, parameters: [key] });
    if (found !== undefined || length === undefined) return found?.dimensions;
    // This statement waits for another transaction that creates or clears the collection.
    const enter = `insert into ${this.#catalog} as known (id, collection) values ($1, $2)
      on conflict (id) do update set collection = excluded.collection returning dimensions`;
    const [entered] = await query<{ dimensions: number | null }>({ sql: enter, parameters: [key, collection] });
    if (typeof entered?.dimensions === "number") return entered.dimensions;
    this.#warn(length);
    await query(plain(createTable(this.#names, { key, dimensions: length, ...this.#parts.settings })));
    await query({ sql: `update ${this.#catalog} set dimensions = $2 where id = $1`, parameters: [key, length] });
    return length;
  }

  async #exists(query: Query, key: string): Promise<boolean> {
    const sql = `select from ${this.#catalog} where id = $1 and dimensions is not null`;
    return (await query({ sql, parameters: [key] })).length > 0;
  }

  #warn(dimensions: number): void {
    const { exact, logger } = this.#parts.settings;
    if (this.#hasWarned || exact || indexedType(dimensions) !== undefined) return;
    this.#hasWarned = true;
    const problem = `pgvector indexes vectors of at most 4000 dimensions, and these have ${dimensions}`;
    logger.warn(`${problem}: each search compares every vector. Use shorter embeddings, or set exact: true.`);
  }
}

function plain(sql: string): { sql: string; parameters: [] } {
  return { sql, parameters: [] };
}
