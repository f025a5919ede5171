import type { InMemoryStorage } from "../in-memory-storage.ts";
import type { StorageDriver } from "../storage-driver.ts";
import { RemoteStorage } from "./remote-storage.ts";

/** Holds a call of the name until a plan lets it go. */
export type Hold = <Value>(name: string, work: () => Value | Promise<Value>) => Promise<Value>;

/** Returns a storage as one process has it, each of whose calls is held. */
export function heldStorage(storage: InMemoryStorage, hold: Hold): StorageDriver {
  return new RemoteStorage(
    {
      get: async (...args) => await hold("get", async () => await storage.get(...args)),
      set: async (...args) => await hold("set", async () => await storage.set(...args)),
      delete: async (...args) => await hold("delete", async () => await storage.delete(...args)),
      list: async (...args) => await hold("list", async () => await storage.list(...args)),
      compareAndSet: async (...args) => await hold("swap", async () => await storage.compareAndSet(...args)),
    },
    storage,
  ).driver;
}
