import { collectionNameCheck, dbNameCheck, readDbName, uriCheck } from "@troupe-internal/mongodb";
import type { EmbeddingProvider, Logger } from "@troupe/core";
import { methodsOption, oneOf, optional, readOptions, timeoutOption } from "@troupe/core/kit";
import { vectorStoreOptionTable } from "@troupe/core/vector";
import type { OptionTable } from "@troupe/core/kit";
import type { VectorStoreOptions } from "@troupe/core/vector";

/** Options of `MongoDbVectorStore`, the argument after the uri. */
export type MongoDbVectorOptions = VectorStoreOptions & {
  /** The database. @default the database in the uri, else "troupe" */
  dbName?: string | undefined;
  /**
   * The MongoDB collection of the documents. A second MongoDB collection, with the suffix `.catalog`, describes the
   * collections of the store. @default "vectors"
   */
  collectionName?: string | undefined;
  /**
   * The way to find documents: `vector` uses the index of MongoDB Vector Search, `exact` compares all documents, `auto`
   * uses the index if the deployment has it. The first call throws if `vector` is set and the deployment has no MongoDB
   * Vector Search. @default "auto"
   */
  search?: "auto" | "vector" | "exact" | undefined;
  /**
   * Milliseconds to wait for an answer of the server, and for writes that conflict with others. Connecting may take at
   * most 5 seconds of them. @default 10_000
   */
  timeoutMs?: number | undefined;
  /** Receives the chosen kind of search, at `info`, and warnings. @default writes warnings to standard error */
  logger?: Logger | undefined;
};

/** The checked arguments of `MongoDbVectorStore`, with defaults. `readArguments` returns them. */
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
  timeoutMs: optional(timeoutOption, 10_000),
  logger: optional(methodsOption<Logger>("a Logger", "info", "warn")),
} satisfies OptionTable<MongoDbVectorOptions>;

/** Checks the arguments of `MongoDbVectorStore` and adds the defaults. Throws `invalid_config` for a wrong argument. */
export function readArguments(uri: string, options: MongoDbVectorOptions): VectorSettings {
  const read = readOptions(optionTable, options, { owner: "MongoDbVectorStore" });
  uriCheck(uri, "uri", {});
  return { ...read, uri, dbName: readDbName(uri, read.dbName) };
}
