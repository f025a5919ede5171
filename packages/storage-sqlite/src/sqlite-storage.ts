import { resolve } from "node:path";
import { readOptions, wrongOption } from "@troupe/core/kit";
import { DatabaseStorage } from "@troupe/core/storage";
import { openFile } from "./open-file.ts";
import { sqliteOptionTable } from "./sqlite-options.ts";
import type { SqliteOptions } from "./sqlite-options.ts";

/** Storage in an SQLite file. Any number of processes on one machine may use the file at the same time. */
export class SqliteStorage extends DatabaseStorage {
  /** Resolves a relative path against the current folder. The first call opens or creates the file. */
  constructor(path: string, options: SqliteOptions = {}) {
    const file = checkPath(path);
    const settings = readOptions(sqliteOptionTable, options, { owner: "SqliteStorage" });
    super({ name: `The SQLite storage ${file}`, open: async () => await openFile(file, settings) });
  }

  /**
   * Calls the listener when something in the namespace may have changed. While there are listeners, checks 50 times a
   * second for writes of other processes.
   */
  watch(namespace: string, listener: () => void): () => void {
    return this.watchRecords(namespace, listener);
  }
}

function checkPath(path: unknown): string {
  if (path === ":memory:") return path;
  if (typeof path === "string" && path !== "" && !path.includes("\0") && !path.startsWith("file:"))
    return resolve(path);
  throw wrongOption("path", 'the path of a file, not a URL, or ":memory:"', path);
}
