import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { methods, optional, readOptions, satisfying, timeoutMilliseconds } from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";

/** Options of `MongoStorage`, the argument after `uri`, `dbName` and `collectionName`. */
export type MongoOptions = {
  /** Milliseconds to wait for an answer of the server, and for work that conflicts with other writers. @default 10_000 */
  timeoutMs?: number | undefined;
  /** Takes the warning about a standalone server. @default writes it to the standard error stream */
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

/** MongoDB's library checks the rest. */
const checkUri = satisfying<string>(
  "a string that begins with mongodb:// or mongodb+srv://",
  (uri) => typeof uri === "string" && /^mongodb(?:\+srv)?:\/\/./.test(uri),
);
const checkDbName = nameLike(/^[^\0/\\. "$*<>:|?]{1,38}$/);
const checkCollectionName = nameLike(/^(?!system\.|\.)[^\0$]{1,120}$/);

/**
 * Checks the arguments of the constructor of `MongoStorage` and adds the defaults. Throws `invalid_config` for a wrong
 * one.
 */
export function readArguments({ uri, dbName, collectionName, options }: MongoArguments): MongoSettings {
  const { timeoutMs, logger } = readOptions(optionTable, options, { owner: "MongoStorage" });
  checkUri(uri, "uri", {});
  return {
    uri,
    dbName: checkDbName(dbName ?? databaseOf(uri) ?? "troupe", "dbName", {}),
    collectionName: checkCollectionName(collectionName ?? "storage", "collectionName", {}),
    timeoutMs,
    logger,
  };
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
