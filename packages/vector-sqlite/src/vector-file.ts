import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { checkEncoding, createPrivateFile, retryWhileBusy, toSqliteFailure, watchPath } from "@troupe-internal/sqlite";
import { addDistance, findSqliteVec, loadDistance } from "./load-distance.ts";
import type { Distance } from "./load-distance.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { vectorTables } from "./vector-tables.ts";
import type { VectorTables } from "./vector-tables.ts";

/** Settings for opening the file of a `SqliteVectorStore`. */
export type VectorFileSettings = {
  readonly durability: "full" | "normal";
  readonly busyTimeoutMs: number;
  readonly table: string;
  readonly warn: (message: string, fields: Record<string, unknown>) => void;
  /** Returns the path of the extension, or throws. @default the path of `sqlite-vec` */
  readonly findExtension?: () => Promise<string>;
};

/** A connection for searches: its transactions only read, and it has a function for the distance between vectors. */
export type Searcher = { readonly connection: SqliteConnection; readonly distance: Distance };

type Opened = { path: string; settings: VectorFileSettings; tables: VectorTables; connect: Connect };
type Connect = (options?: DatabaseSyncOptions) => DatabaseSync;

// Page size of the SQLite file in bytes. A default page is too small for rows with 1,536 numbers, and a search would
// read half as much again.
const pageBytes = 32_768;
const checkpointBytes = 4_000_000;
const mostSearchers = 4;

const slowWarning =
  "sqlite-vec could not be loaded, so searches run in JavaScript: as exact, but slower. It has binaries for Linux with " +
  "glibc, macOS and Windows; install its optional packages, and let Node load extensions (--permission forbids it).";

/**
 * An open SQLite file of a vector store. One connection writes, one reads single documents, and a few search. Each
 * search has its own connection, because other work runs during a search and must not change what the search sees.
 */
export class VectorFile {
  readonly path: string;
  readonly tables: VectorTables;
  readonly #settings: VectorFileSettings;
  readonly #connect: Connect;
  readonly #checkPath: () => void;
  readonly #writer: SqliteConnection;
  readonly #idle: Searcher[] = [];
  readonly #waiting: (() => void)[] = [];
  #searching = 0;
  #extension: string | undefined;
  #reader: SqliteConnection | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor({ path, settings, tables, connect }: Opened, writer: SqliteConnection) {
    this.path = path;
    this.tables = tables;
    this.#settings = settings;
    this.#connect = connect;
    this.#checkPath = watchPath(path);
    this.#writer = writer;
  }

  /**
   * Opens the SQLite file of a vector store. Creates it and its tables if they do not exist. Imports `node:sqlite` and
   * `sqlite-vec`.
   */
  static async open(path: string, settings: VectorFileSettings): Promise<VectorFile> {
    const { DatabaseSync } = await import("node:sqlite");
    const tables = vectorTables(settings.table);
    const connect: Connect = (options = {}) => new DatabaseSync(path, options);
    try {
      createPrivateFile(path);
      const writer = await retryWhileBusy(settings.busyTimeoutMs, () => prepare(connect(), { path, settings, tables }));
      const file = new VectorFile({ path, settings, tables, connect }, new SqliteConnection(writer));
      await file.#chooseDistance();
      return file;
    } catch (error) {
      throw toSqliteFailure(error, path);
    }
  }

  /** Performs work in a transaction. The work may await: until it ends, this process makes no other change. */
  async write<Result>(work: (writer: SqliteConnection) => Promise<Result>): Promise<Result> {
    const before = this.#writing;
    const written = before.then(async () => await this.#transact(work));
    this.#writing = written.catch(() => {});
    return await written;
  }

  /** Runs work on one state of the file, however long it takes. */
  async search<Result>(work: (searcher: Searcher) => Promise<Result>): Promise<Result> {
    if (this.#searching === mostSearchers) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#searching += 1;
    try {
      this.#checkPath();
      return await this.#searchWith(this.#idle.pop() ?? this.#openSearcher(), work);
    } catch (error) {
      throw toSqliteFailure(error, this.path);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#searching -= 1;
      else next();
    }
  }

  /** Runs one reading statement on the file. */
  async read<Result>(work: (reader: SqliteConnection) => Result): Promise<Result> {
    try {
      this.#checkPath();
      const reader = (this.#reader ??= new SqliteConnection(this.#connect({ readOnly: true })));
      return await retryWhileBusy(this.#settings.busyTimeoutMs, () => work(reader));
    } catch (error) {
      throw toSqliteFailure(error, this.path);
    }
  }

  close(): void {
    for (const { connection } of this.#idle) connection.close();
    this.#reader?.close();
    // The writing connection is closed last, because only a writing connection can remove the write-ahead log.
    this.#writer.close();
  }

  async #transact<Result>(work: (writer: SqliteConnection) => Promise<Result>): Promise<Result> {
    const writer = this.#writer;
    try {
      this.#checkPath();
      // The transaction is "immediate", because a transaction that begins with a read fails at its first write if
      // another process has written in between.
      await retryWhileBusy(this.#settings.busyTimeoutMs, () => writer.run("begin immediate"));
      try {
        const result = await work(writer);
        writer.run("commit");
        return result;
      } finally {
        // After some failures SQLite itself has already ended the transaction.
        if (writer.isTransaction) writer.run("rollback");
      }
    } catch (error) {
      throw toSqliteFailure(error, this.path);
    }
  }

  async #searchWith<Result>(searcher: Searcher, work: (searcher: Searcher) => Promise<Result>): Promise<Result> {
    const { connection } = searcher;
    try {
      connection.run("begin");
      // The first statement of a transaction fixes the state that it sees.
      await retryWhileBusy(this.#settings.busyTimeoutMs, () => connection.row(this.tables.collection, ""));
      return await work(searcher);
    } finally {
      if (connection.isTransaction) connection.run("rollback");
      this.#idle.push(searcher);
    }
  }

  /**
   * Tries to load the `sqlite-vec` extension, once for all searches. If that fails, warns, and searches run in
   * JavaScript.
   */
  async #chooseDistance(): Promise<void> {
    try {
      this.#extension = await (this.#settings.findExtension ?? findSqliteVec)();
      this.#idle.push(this.#openSearcher());
    } catch (error) {
      this.#extension = undefined;
      this.#settings.warn(slowWarning, { error });
    }
  }

  #openSearcher(): Searcher {
    const database = this.#connect({ readOnly: true, allowExtension: this.#extension !== undefined });
    try {
      const distance = this.#extension === undefined ? addDistance(database) : loadDistance(database, this.#extension);
      return { connection: new SqliteConnection(database), distance };
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

/** Prepares the writing connection and creates the tables. Closes the connection if that fails. */
function prepare(database: DatabaseSync, { path, settings, tables }: Omit<Opened, "connect">): DatabaseSync {
  try {
    checkEncoding(database, path);
    database.exec(`pragma page_size = ${pageBytes}`);
    database.exec("pragma journal_mode = wal");
    database.exec(`pragma synchronous = ${settings.durability}`);
    // Size of SQLite's page cache in kilobytes: terms are hashes, so a large change touches pages everywhere.
    database.exec("pragma cache_size = -16000");
    // Number of pages of the write-ahead log after which it is copied into the file.
    const { page_size } = database.prepare("pragma page_size").get() ?? {};
    database.exec(`pragma wal_autocheckpoint = ${Math.ceil(checkpointBytes / Number(page_size))}`);
    for (const sql of tables.create) database.exec(sql);
    // A file with documents of an older version gets its index of words by `createTextIndex`.
    const { empty } = database.prepare(`${tables.isEmpty} as empty`).get() ?? {};
    if (empty === 1) database.exec(tables.createText);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
