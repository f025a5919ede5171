import { InMemoryStorage } from "../../src/storage/in-memory-storage.ts";
import type { Json } from "../../src/storage/json.ts";
import type { StorageDriver } from "../../src/storage/storage-driver.ts";
import { altered } from "./altered.ts";

/** Every driver of ours has all members. */
export type WholeStorage = Required<StorageDriver>;

/** The right storage, but for some members. */
export function storageBut(change: (right: WholeStorage) => Partial<WholeStorage>): WholeStorage {
  return altered<WholeStorage>(new InMemoryStorage(), change);
}

/** A storage that stores under another name than it is told. */
export function renaming(rename: (name: string) => string): WholeStorage {
  return storageBut((right) => ({
    get: async (namespace, key) => await right.get(namespace, rename(key)),
    set: async (namespace, key, value) => await right.set(namespace, rename(key), value),
    delete: async (namespace, key) => await right.delete(namespace, rename(key)),
  }));
}

/** A storage that stores in another namespace than it is told. */
export function moving(rename: (namespace: string) => string): WholeStorage {
  return storageBut((right) => ({
    get: async (namespace, key) => await right.get(rename(namespace), key),
    set: async (namespace, key, value) => await right.set(rename(namespace), key, value),
    delete: async (namespace, key) => await right.delete(rename(namespace), key),
    list: async (namespace, ...rest) => await right.list(rename(namespace), ...rest),
  }));
}

/** A storage that writes something else than it is given. */
export function storing(change: (value: Json) => Json): WholeStorage {
  return storageBut((right) => ({
    set: async (namespace, key, value) => await right.set(namespace, key, change(value)),
  }));
}

/** A storage that reads something else than it holds. */
export function reading(change: (value: Json | null) => unknown): WholeStorage {
  return storageBut((right) => ({
    get: async (namespace, key) => change(await right.get(namespace, key)) as Json | null,
  }));
}

/** Texts changed wherever they stand in a value. */
export function changeTexts(value: Json, change: (text: string) => Json): Json {
  return JSON.parse(JSON.stringify(value), (_name, part: Json) =>
    typeof part === "string" ? change(part) : part,
  ) as Json;
}

/** What runs between the two halves of something that should be one step. */
export async function meanwhile(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
