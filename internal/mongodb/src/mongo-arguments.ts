import { TroupeError } from "@troupe/core";
import { customOption } from "@troupe/core/kit";
import type { OptionCheck } from "@troupe/core/kit";

/** Checks the beginning of a MongoDB uri. MongoDB's library checks the rest of it. */
export const uriCheck: OptionCheck<string> = customOption<string>(
  "a string that begins with mongodb:// or mongodb+srv://",
  (uri) => typeof uri === "string" && /^mongodb(?:\+srv)?:\/\/./.test(uri),
);

/** Checks the name of a MongoDB database. */
export const dbNameCheck: OptionCheck<string> = nameLike(/^[^\0/\\. "$*<>:|?]{1,38}$/);

/** Checks the name of a MongoDB collection. */
export const collectionNameCheck: OptionCheck<string> = nameLike(/^(?!system\.|\.)[^\0$]{1,120}$/);

function nameLike(pattern: RegExp): OptionCheck<string> {
  return customOption<string>(
    "a name that MongoDB allows: not too long, and without $ or NUL",
    (name) => typeof name === "string" && pattern.test(name),
  );
}

/**
 * Returns the name of the MongoDB database: the given name, else the name in the uri, else "troupe". Throws
 * `invalid_config` for an invalid name.
 */
export function readDbName(uri: string, given: string | undefined): string {
  return dbNameCheck(given ?? databaseOf(uri) ?? "troupe", "dbName", {});
}

function databaseOf(uri: string): string | undefined {
  const name = /^[^/]+\/\/[^/?]+\/([^?]+)/.exec(uri)?.[1];
  try {
    return name && decodeURIComponent(name);
  } catch {
    throw new TroupeError("invalid_config", "The name of the database in the uri must be percent-encoded.");
  }
}
