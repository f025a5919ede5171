import { InMemoryStorage, Memory } from "@troupe/core";
import type { Json, StorageDriver } from "@troupe/core";
import type { StorageEntry } from "@troupe/core/storage";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { describe, it, onTestFinished } from "vitest";
import { expectTenCachedTurns } from "./odd-arguments.ts";

/** A storage of the five required methods that returns the members of an object in its own order, as `jsonb` does. */
class ReorderingStorage implements StorageDriver {
  readonly #records = new InMemoryStorage();

  async get(namespace: string, key: string): Promise<Json | null> {
    return reordered(await this.#records.get(namespace, key));
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    await this.#records.set(namespace, key, value);
  }

  async delete(namespace: string, key: string): Promise<void> {
    await this.#records.delete(namespace, key);
  }

  async list(namespace: string, prefix?: string): Promise<StorageEntry[]> {
    const entries = await this.#records.list(namespace, prefix);
    return entries.map(({ key, value }) => ({ key, value: reordered(value) }));
  }

  async close(): Promise<void> {
    await this.#records.close();
  }
}

function reordered(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reordered);
  const members = Object.entries(value).toSorted(
    ([one], [other]) => one.length - other.length || (one < other ? -1 : 1),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, reordered(member)]));
}

describe("ten turns of a chat with Claude, with a tool call in each", () => {
  it.each([
    ["memory", () => new InMemoryStorage()],
    ["SQLite", () => new SqliteStorage(":memory:")],
    ["a storage that reorders the members of objects", () => new ReorderingStorage()],
  ])("read all before from the vendor's cache, stored in %s [cache.stored-turns]", async (_, create) => {
    const storage = create();
    onTestFinished(() => storage.close());

    await expectTenCachedTurns(storage);
  });

  it("read all before from the vendor's cache, with a memory whose storage reorders members [cache.stored-turns]", async () => {
    await expectTenCachedTurns(new ReorderingStorage(), { memory: new Memory({ maxShortTermMessages: 100 }) });
  });
});
