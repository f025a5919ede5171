import { collectionNameCheck, dbNameCheck, readDbName, uriCheck } from "@troupe-internal/mongodb";
import type { EmbeddingProvider, Logger } from "@troupe/core";
import { methods, oneOf, optional, readOptions, timeoutMilliseconds } from "@troupe/core/kit";
import { vectorStoreOptionTable } from "@troupe/core/vector";
import type { OptionTable } from "@troupe/core/kit";
import type { VectorStoreOptions } from "@troupe/core/vector";

/** Options of `MongoDbVectorStore`, the argument after the uri. */
export type MongoDbVectorOptions = VectorStoreOptions & {
  /** The database. @default the one in the uri, else "troupe" */
  dbName?: string | undefined;
  /** The MongoDB collection of the documents. A second one, with `.catalog` after its name, keeps what each collection of the store is. @default "vectors" */
  collectionName?: string | undefined;
  /**
   * How documents are found: `vector` by the index of MongoDB Vector Search, `exact` by comparing all of them, `auto`
   * by the index where the deployment has it. A `vector` that the deployment does not have is an error of the first call.
   * @default "auto"
   */
  search?: "auto" | "vector" | "exact" | undefined;
  /** Milliseconds to wait for an answer of the server, and for writes that conflict with others. Connecting takes at most 5 seconds of it. @default 10_000 */
  timeoutMs?: number | undefined;
  /** Takes the kind of search that was chosen, at `info`, and warnings. @default writes warnings to the standard error stream */
  logger?: Logger | undefined;
};

/** The arguments of `MongoDbVectorStore` as `readArguments` returns them: checked, with their defaults. */
export type VectorSettings = {
  uri: string;
  dbName: string;
  collectionName: string;
  search: "auto" | "vector" | "exact";
  timeoutMs: number;
  logger?: Logger;
  embeddings?: EmbeddingProvider;
  dimensions?: number;
};

const optionTable = {
  ...vectorStoreOptionTable,
  dbName: optional(dbNameCheck),
  collectionName: optional(collectionNameCheck, "vectors"),
  search: optional(oneOf("auto", "vector", "exact"), "auto"),
  timeoutMs: optional(timeoutMilliseconds, 10_000),
  logger: optional(methods<Logger>("a Logger", "info", "warn")),
} satisfies OptionTable<MongoDbVectorOptions>;

/** Checks the arguments of `MongoDbVectorStore` and adds the defaults. Throws `invalid_config` for a wrong one. */
export function readArguments(uri: string, options: MongoDbVectorOptions): VectorSettings {
  const read = readOptions(optionTable, options, { owner: "MongoDbVectorStore" });
  uriCheck(uri, "uri", {});
  return { ...read, uri, dbName: readDbName(uri, read.dbName) };
}
