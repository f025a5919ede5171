import type { StorageDriver } from "@troupe/core";

/** An address, and a collection for MongoDB. */
type Where = { address: string; collection?: string };

/** Storages that processes can share, opened by their address. Only the used one is loaded. */
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

/** Kind and address of a storage. */
export type StorageAddress = Where & { kind: keyof typeof open };

/** Opens a storage by its address. */
export async function openStorage({ kind, ...where }: StorageAddress): Promise<StorageDriver> {
  return await open[kind](where);
}
