import type { StorageDriver } from "@troupe/core";

/** An address, and in MongoDB also a collection. */
type Where = { address: string; collection?: string };

/** The storages that processes can share, each opened by its address. Only the one that is used is loaded. */
const open = {
  async sqlite({ address: file }: Where): Promise<StorageDriver> {
    const { SqliteStorage } = await import("@troupe/storage-sqlite");
    return new SqliteStorage(file);
  },
  async postgres({ address: url }: Where): Promise<StorageDriver> {
    const { PostgresStorage } = await import("@troupe/storage-postgres");
    return new PostgresStorage(url, { schema: "troupe_test_processes" });
  },
  async mongodb({ address: url, collection = "processes" }: Where): Promise<StorageDriver> {
    const { MongoStorage } = await import("@troupe/storage-mongodb");
    return new MongoStorage(url, "troupe_test", collection);
  },
};

/** A storage and where it is. */
export type StorageAddress = Where & { kind: keyof typeof open };

/** Opens a storage by its address. */
export async function openStorage({ kind, ...where }: StorageAddress): Promise<StorageDriver> {
  return await open[kind](where);
}
