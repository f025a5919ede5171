import { collectionNameCheck, readDbName, uriCheck } from "@troupe-internal/mongodb";
import type { Logger } from "@troupe/core";
import { methods, optional, readOptions, timeoutMilliseconds } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";

/** Options of `MongoStorage`, the argument after `uri`, `dbName` and `collectionName`. */
export type MongoOptions = {
  /** Milliseconds to wait for an answer of the server, and for work that conflicts with other writers. Connecting takes at most 5 seconds of it. @default 10_000 */
  timeoutMs?: number | undefined;
  /** Takes the warnings about a standalone server and a lost change stream. @default writes it to the standard error stream */
  logger?: Logger | undefined;
};

/** The arguments of `MongoStorage` as `readArguments` returns them: checked, with their defaults. */
export type MongoSettings = {
  uri: string;
  dbName: string;
  collectionName: string;
  timeoutMs: number;
  logger: Logger | undefined;
};

/** The arguments of the constructor of `MongoStorage`, before `readArguments` checks them. */
export type MongoArguments = {
  uri: string;
  dbName: string | undefined;
  collectionName: string | undefined;
  options: MongoOptions;
};

const optionTable = {
  timeoutMs: optional(timeoutMilliseconds, 10_000),
  logger: optional(methods<Logger>("a Logger", "warn")),
} satisfies OptionTable<MongoOptions>;

/**
 * Checks the arguments of the constructor of `MongoStorage` and adds the defaults. Throws `invalid_config` for a wrong
 * one.
 */
export function readArguments({ uri, dbName, collectionName, options }: MongoArguments): MongoSettings {
  const { timeoutMs, logger } = readOptions(optionTable, options, { owner: "MongoStorage" });
  uriCheck(uri, "uri", {});
  return {
    uri,
    dbName: readDbName(uri, dbName),
    collectionName: collectionNameCheck(collectionName ?? "storage", "collectionName", {}),
    timeoutMs,
    logger,
  };
}
