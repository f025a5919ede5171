import { chmodSync, closeSync, openSync } from "node:fs";

/** The mode of a file that its owner alone may read and write. */
const ownerOnly = 0o600;

/**
 * Creates the empty file of a database, for its owner alone, whatever the umask. SQLite gives the files of its log the same mode.
 * A file that exists keeps its mode, and so does a database in memory, which has none.
 */
export function createPrivateFile(path: string): void {
  if (path === ":memory:") return;
  try {
    closeSync(openSync(path, "wx", ownerOnly));
  } catch {
    // It exists, or cannot be created: SQLite says which.
    return;
  }
  // By its path: Node's permission model takes no changes of a file that is open.
  chmodSync(path, ownerOnly);
}
