import type { StorageDriver, StorageEntry } from "@troupe/core";

/** All records of a storage that are a session's, a user's or a task's. */
export type StorageDump = Readonly<
  Record<"sessions" | "turns" | "memory" | "facts" | "tasks", readonly StorageEntry[]>
>;

/** Reads all that a storage holds of them. */
export async function dumpStorage(storage: StorageDriver): Promise<StorageDump> {
  return {
    sessions: await storage.list("sessions"),
    turns: await storage.list("turns"),
    memory: await storage.list("memory"),
    facts: await storage.list("facts"),
    tasks: await storage.list("tasks"),
  };
}
