import { TroupeError } from "@troupe/core";
import { checkCount, checkDuration, checkOptionNames, wrongOption } from "@troupe/core/adapter";

/** How MongoDB is used. */
export type MongoOptions = {
  /** The longest wait for one answer of a server, and for work that has to be done again because of others. @default 10_000 */
  timeoutMs?: number;
};

/** Everything a connection is made of, checked and complete. */
export type MongoSettings = { uri: string; dbName: string; collectionName: string; timeoutMs: number };

/** What the constructor was given. */
export type MongoArguments = {
  uri: string;
  dbName: string | undefined;
  collectionName: string | undefined;
  options: MongoOptions;
};

/** Checks what the constructor was given and fills in what is left open. Anything wrong is `invalid_config`. */
export function readArguments({ uri, dbName, collectionName, options }: MongoArguments): MongoSettings {
  if (typeof options !== "object" || options === null) throw wrongOption("options", "an object", options);
  checkOptionNames(options, ["timeoutMs"], "MongoStorage");
  checkUri(uri);
  return {
    uri,
    dbName: checkName(dbName ?? databaseOf(uri) ?? "troupe", "dbName", /^[^\0/\\. "$*<>:|?]{1,38}$/),
    collectionName: checkName(collectionName ?? "storage", "collectionName", /^(?!system\.|\.)[^\0$]{1,120}$/),
    timeoutMs: checkDuration(checkCount(options.timeoutMs ?? 10_000, "timeoutMs", 1), "timeoutMs"),
  };
}

/** The rest of it is read by MongoDB's library. It may hold a password, so no error quotes any of it. */
function checkUri(uri: string): void {
  if (typeof uri === "string" && /^mongodb(?:\+srv)?:\/\/./.test(uri)) return;
  throw wrongOption("uri", "a text that begins with mongodb:// or mongodb+srv://", uri);
}

function databaseOf(uri: string): string | undefined {
  const name = /^[^/]+\/\/[^/?]+\/([^?]+)/.exec(uri)?.[1];
  try {
    return name && decodeURIComponent(name);
  } catch {
    throw new TroupeError("invalid_config", "The name of the database in the uri must be percent-encoded.");
  }
}

function checkName(name: unknown, option: string, allowed: RegExp): string {
  if (typeof name === "string" && allowed.test(name)) return name;
  throw wrongOption(option, "a name that MongoDB allows: not too long, and without $ or NUL", name);
}
