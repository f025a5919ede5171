import { InMemoryStorage } from "../../src/sessions/storage/in-memory-storage.ts";
import type { Json } from "../../src/sessions/storage/json.ts";
import type { StorageDriver } from "../../src/sessions/storage/storage-driver.ts";
import { altered } from "./altered.ts";

/** A driver with all optional members. */
export type WholeStorage = Required<StorageDriver>;

/** Returns the correct storage with some members replaced. */
export function storageBut(change: (right: WholeStorage) => Partial<WholeStorage>): WholeStorage {
  return altered<WholeStorage>(new InMemoryStorage(), change);
}

/** Returns a storage that stores under other keys. */
export function renaming(rename: (name: string) => string): WholeStorage {
  return storageBut((right) => ({
    get: async (namespace, key) => await right.get(namespace, rename(key)),
    set: async (namespace, key, value) => await right.set(namespace, rename(key), value),
    delete: async (namespace, key) => await right.delete(namespace, rename(key)),
  }));
}

/** Returns a storage that stores in other namespaces. */
export function moving(rename: (namespace: string) => string): WholeStorage {
  return storageBut((right) => ({
    get: async (namespace, key) => await right.get(rename(namespace), key),
    set: async (namespace, key, value) => await right.set(rename(namespace), key, value),
    delete: async (namespace, key) => await right.delete(rename(namespace), key),
    list: async (namespace, ...rest) => await right.list(rename(namespace), ...rest),
  }));
}

/** Returns a storage that writes other values. */
export function storing(change: (value: Json) => Json): WholeStorage {
  return storageBut((right) => ({
    set: async (namespace, key, value) => await right.set(namespace, key, change(value)),
  }));
}

/** Returns a storage that reads other values. */
export function reading(change: (value: Json | null) => unknown): WholeStorage {
  return storageBut((right) => ({
    get: async (namespace, key) => change(await right.get(namespace, key)) as Json | null,
  }));
}

/** Changes every string in a value. */
export function changeTexts(value: Json, change: (text: string) => Json): Json {
  return JSON.parse(JSON.stringify(value), (_name, part: Json) =>
    typeof part === "string" ? change(part) : part,
  ) as Json;
}

/** Lets other work run between the two halves of an operation that should be atomic. */
export async function meanwhile(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
