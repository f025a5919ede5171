import { chmodSync, closeSync, openSync } from "node:fs";

/** The mode of a file that only its owner may read and write. */
const ownerOnly = 0o600;

/**
 * Creates the empty file of an SQLite database with access only for its owner, whatever the umask. SQLite gives its log
 * files the same mode. An existing file keeps its mode; a database in memory has no file.
 */
export function createPrivateFile(path: string): void {
  if (path === ":memory:") return;
  try {
    closeSync(openSync(path, "wx", ownerOnly));
  } catch {
    // Either the file exists already, or SQLite will report the reason why it cannot be created.
    return;
  }
  // The file's mode is changed by path, because Node's permission model forbids changes of an open file.
  chmodSync(path, ownerOnly);
}
