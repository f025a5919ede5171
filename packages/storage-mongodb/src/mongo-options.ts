import { collectionNameCheck, readDbName, uriCheck } from "@troupe-internal/mongodb";
import type { Logger } from "@troupe/core";
import { methodsOption, optional, readOptions, timeoutOption } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";

/** Options of `MongoStorage`, the argument after `uri`, `dbName` and `collectionName`. */
export type MongoOptions = {
  /**
   * Milliseconds to wait for an answer of the server, and for work that conflicts with other writers. Connecting may
   * take at most 5 seconds of them. @default 10_000
   */
  timeoutMs?: number | undefined;
  /**
   * Receives warnings about a standalone server and a failed change stream. @default writes warnings to standard error
   */
  logger?: Logger | undefined;
};

/** The checked arguments of `MongoStorage`, with defaults. `readArguments` returns them. */
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
  timeoutMs: optional(timeoutOption, 10_000),
  logger: optional(methodsOption<Logger>("a Logger", "warn")),
} satisfies OptionTable<MongoOptions>;

/**
 * Checks the arguments of the constructor of `MongoStorage` and adds the defaults. Throws `invalid_config` for a wrong
 * argument.
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
