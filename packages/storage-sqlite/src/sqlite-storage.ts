import { resolve } from "node:path";
import type { AppendOptions, Json, ListOptions, StorageDriver, StorageEntry, Write } from "@troupe/core";
import { wrongOption } from "@troupe/core/adapter";
import { SqlStorage } from "@troupe-internal/sql-storage";
import { openFile } from "./open-file.ts";
import { readOptions } from "./sqlite-options.ts";
import type { SqliteOptions } from "./sqlite-options.ts";

/** Storage in an SQLite file. Any number of processes of one machine may use the file at the same time. */
export class SqliteStorage implements Required<StorageDriver> {
  readonly #storage: SqlStorage;

  /** The path is taken from the folder of the process as it is now; the file is opened, or made, by the first call. */
  constructor(path: string, options: SqliteOptions = {}) {
    const file = checkPath(path);
    const settings = readOptions(options);
    this.#storage = new SqlStorage({
      name: `The SQLite storage ${file}`,
      open: async () => await openFile(file, settings),
    });
  }

  async get(namespace: string, key: string): Promise<Json | null> {
    return await this.#storage.get(namespace, key);
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    await this.#storage.set(namespace, key, value);
  }

  async delete(namespace: string, key: string): Promise<void> {
    await this.#storage.delete(namespace, key);
  }

  async list(namespace: string, prefix?: string, options?: ListOptions): Promise<StorageEntry[]> {
    return await this.#storage.list(namespace, prefix, options);
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async append(
    namespace: string,
    keyPrefix: string,
    value: Json,
    options?: AppendOptions,
  ): Promise<{ key: string; seq: number }> {
    return await this.#storage.append(namespace, keyPrefix, value, options);
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    return await this.#storage.compareAndSet(namespace, key, expected, next);
  }

  /** Resolves when the file can be read, and fails when that is not known within a second. */
  async ping(): Promise<void> {
    await this.#storage.ping();
  }

  async transaction(writes: readonly Write[]): Promise<void> {
    await this.#storage.transaction(writes);
  }

  /** Waits for calls under way and closes the file. */
  async close(): Promise<void> {
    await this.#storage.close();
  }
}

function checkPath(path: unknown): string {
  if (path === ":memory:") return path;
  if (typeof path === "string" && path !== "" && !path.includes("\0") && !path.startsWith("file:"))
    return resolve(path);
  throw wrongOption("path", 'the path of a file, not a URL, or ":memory:"', path);
}
