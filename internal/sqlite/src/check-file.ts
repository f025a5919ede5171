import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { TroupeError } from "@troupe/core";

/** Rejects an existing SQLite database in UTF-16, whose bytes sort in another order. */
export function checkEncoding(database: DatabaseSync, path: string): void {
  const { encoding } = database.prepare("pragma encoding").get() ?? {};
  if (encoding === "UTF-8") return;
  const sentence = `The SQLite file ${path} must be encoded in UTF-8, got ${String(encoding)}. Use another file.`;
  throw new TroupeError("invalid_config", sentence);
}

/**
 * Returns a check that throws if the SQLite file at the path has been removed or replaced. SQLite does not notice that,
 * and writes to a removed file are lost.
 */
export function watchPath(path: string): () => void {
  const opened = identify(path);
  return () => {
    if (identify(path) === opened) return;
    const sentence = `The SQLite file ${path} was moved or removed while it was open. Put it back and restart.`;
    throw new TroupeError("storage_unavailable", sentence);
  };
}

function identify(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
