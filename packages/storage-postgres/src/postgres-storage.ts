import type { AppendOptions, Json, ListOptions, StorageDriver, StorageEntry, Write } from "@troupe/core";
import { SqlStorage } from "@troupe-internal/sql-storage";
import { openDatabase } from "./open-database.ts";
import { readOptions, readSource } from "./postgres-options.ts";
import type { PostgresOptions } from "./postgres-options.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** Storage in a table of PostgreSQL. Any number of processes may use it at the same time. */
export class PostgresStorage implements Required<StorageDriver> {
  readonly #storage: SqlStorage;

  /**
   * Takes `postgres://user:password@host:port/database`, or a `Pool` of `pg`, which `close` then leaves open. The first
   * call connects, and makes the table when it is not there.
   */
  constructor(connection: string | { pool: PostgresPool }, options: PostgresOptions = {}) {
    const source = readSource(connection);
    const settings = readOptions(options, source);
    this.#storage = new SqlStorage({
      name: "The PostgreSQL storage",
      open: async () => await openDatabase(source, settings),
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

  /** Resolves when the table can be read, and fails when that is not known within a second. */
  async ping(): Promise<void> {
    await this.#storage.ping();
  }

  async transaction(writes: readonly Write[]): Promise<void> {
    await this.#storage.transaction(writes);
  }

  /** Waits for calls under way and ends the connections that are its own. */
  async close(): Promise<void> {
    await this.#storage.close();
  }
}
