import { TroupeError } from "@troupe/core";
import type { EmbeddingProvider, Logger } from "@troupe/core";
import {
  methods,
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
  vectorStoreOptionTable,
} from "@troupe/core/adapter";
import type { OptionTable, VectorStoreOptions } from "@troupe/core/adapter";

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
  /** Milliseconds to wait for an answer of the server, and for writes that conflict with others. @default 10_000 */
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

const checkDbName = nameLike(/^[^\0/\\. "$*<>:|?]{1,38}$/);

const optionTable = {
  ...vectorStoreOptionTable,
  dbName: optional(checkDbName),
  collectionName: optional(nameLike(/^(?!system\.|\.)[^\0$]{1,120}$/), "vectors"),
  search: optional(oneOf("auto", "vector", "exact"), "auto"),
  timeoutMs: optional(timeoutMilliseconds, 10_000),
  logger: optional(methods<Logger>("a Logger", "info", "warn")),
} satisfies OptionTable<MongoDbVectorOptions>;

/** MongoDB's library checks the rest. */
const checkUri = satisfying<string>(
  "a string that begins with mongodb:// or mongodb+srv://",
  (uri) => typeof uri === "string" && /^mongodb(?:\+srv)?:\/\/./.test(uri),
);

/** Checks the arguments of `MongoDbVectorStore` and adds the defaults. Throws `invalid_config` for a wrong one. */
export function readArguments(uri: string, options: MongoDbVectorOptions): VectorSettings {
  const read = readOptions(optionTable, options, { owner: "MongoDbVectorStore" });
  checkUri(uri, "uri", {});
  return { ...read, uri, dbName: read.dbName ?? checkDbName(databaseOf(uri) ?? "troupe", "dbName", {}) };
}

function nameLike(pattern: RegExp) {
  return satisfying<string>(
    "a name that MongoDB allows: not too long, and without $ or NUL",
    (name) => typeof name === "string" && pattern.test(name),
  );
}

function databaseOf(uri: string): string | undefined {
  const name = /^[^/]+\/\/[^/?]+\/([^?]+)/.exec(uri)?.[1];
  try {
    return name && decodeURIComponent(name);
  } catch {
    throw new TroupeError("invalid_config", "The name of the database in the uri must be percent-encoded.");
  }
}
