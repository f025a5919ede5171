import type { StorageDriver } from "@troupe/core";

/** The storages that processes can share, each opened by its address. Only the one that is used is loaded. */
const open = {
  async sqlite(file: string): Promise<StorageDriver> {
    const { SqliteStorage } = await import("@troupe/storage-sqlite");
    return new SqliteStorage(file);
  },
  async postgres(url: string): Promise<StorageDriver> {
    const { PostgresStorage } = await import("@troupe/storage-postgres");
    return new PostgresStorage(url, { schema: "troupe_test_processes" });
  },
  async mongodb(url: string): Promise<StorageDriver> {
    const { MongoStorage } = await import("@troupe/storage-mongodb");
    return new MongoStorage(url, "troupe_test", "processes");
  },
};

/** A storage and where it is. */
export type StorageAddress = { kind: keyof typeof open; address: string };

/** Opens a storage by its address. */
export async function openStorage({ kind, address }: StorageAddress): Promise<StorageDriver> {
  return await open[kind](address);
}
