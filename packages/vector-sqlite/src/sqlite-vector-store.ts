import { resolve } from "node:path";
import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import {
  methodsOption,
  millisecondsOption,
  oneOf,
  optional,
  readOptions,
  customOption,
  wrongOption,
} from "@troupe/core/kit";
import { DatabaseVectorStore, vectorStoreOptionTable } from "@troupe/core/vector";
import type { OptionTable } from "@troupe/core/kit";
import type { VectorStoreOptions } from "@troupe/core/vector";
import { SqliteVectorDatabase } from "./sqlite-vector-database.ts";
import { VectorFile } from "./vector-file.ts";

/**
 * Options of `SqliteVectorStore`: embeddings, durability, time to wait, and the names of its tables. All have defaults.
 */
export type SqliteVectorOptions = VectorStoreOptions & {
  /**
   * The durability of a confirmed write: with `"normal"` it survives a killed process, with `"full"` also a loss of
   * power. @default "full"
   */
  durability?: "full" | "normal" | undefined;
  /**
   * Milliseconds that a call waits while another process writes, before it fails with `storage_unavailable`. @default
   * 5000
   */
  busyTimeoutMs?: number | undefined;
  /** The table of the vectors. The names of the store's other tables begin with it. @default "troupe_vectors" */
  table?: string | undefined;
  /** Receives the warning that `sqlite-vec` could not be loaded. @default writes warnings to standard error */
  logger?: Logger | undefined;
};

const optionTable = {
  ...vectorStoreOptionTable,
  durability: optional(oneOf("full", "normal"), "full"),
  busyTimeoutMs: optional(millisecondsOption, 5000),
  table: optional(
    customOption<string>(
      "a name of letters, digits and _, at most 40 and no digit first",
      (name) => typeof name === "string" && /^(?!sqlite_)[a-z_]\w{0,39}$/i.test(name),
    ),
    "troupe_vectors",
  ),
  logger: optional(methodsOption<Logger>("a Logger", "warn")),
} satisfies OptionTable<SqliteVectorOptions>;

/**
 * A vector store in an SQLite file. A search compares every vector that matches its filter: it is exact, and fast
 * enough for a few hundred thousand vectors. Any number of processes on one machine may use the file at the same time.
 */
export class SqliteVectorStore extends DatabaseVectorStore {
  /** Resolves a relative path against the current folder. The first call opens or creates the file. */
  constructor(path: string, options: SqliteVectorOptions = {}) {
    const file = checkPath(path);
    const { embeddings, dimensions, logger, ...settings } = readOptions(optionTable, options, {
      owner: "SqliteVectorStore",
    });
    const warn = (message: string, fields: Record<string, unknown>): void =>
      (logger ?? createLogger({ level: "warn", prefix: "SqliteVectorStore" })).warn(message, fields);
    super({
      name: `The SQLite vector store ${file}`,
      open: async () => new SqliteVectorDatabase(await VectorFile.open(file, { ...settings, warn })),
      searchesText: true,
      embeddings,
      dimensions,
    });
  }
}

function checkPath(path: unknown): string {
  if (typeof path === "string" && path !== "" && path !== ":memory:" && !/^file:|\0/.test(path)) return resolve(path);
  throw wrongOption("path", "the path of a file, not a URL. For memory use InMemoryVectorStore", path);
}
