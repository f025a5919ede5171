import type { Json } from "../json.ts";
import type { StorageDriver, StorageEntry } from "../storage-driver.ts";

/** A driver with only the five required methods. It ignores list options. */
export class MapStorage implements StorageDriver {
  /** Stored JSON by namespace and key. */
  readonly records = new Map<string, string>();

  async get(namespace: string, key: string): Promise<Json | null> {
    const text = this.records.get(`${namespace} ${key}`);
    return text === undefined ? null : (JSON.parse(text) as Json);
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    if (value === null) return await this.delete(namespace, key);
    this.records.set(`${namespace} ${key}`, JSON.stringify(value));
  }

  async delete(namespace: string, key: string): Promise<void> {
    this.records.delete(`${namespace} ${key}`);
  }

  async list(namespace: string, prefix = ""): Promise<StorageEntry[]> {
    return [...this.records]
      .filter(([place]) => place.startsWith(`${namespace} ${prefix}`))
      .map(([place, text]) => ({ key: place.slice(namespace.length + 1), value: JSON.parse(text) as Json }))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  }

  async close(): Promise<void> {
    this.records.clear();
  }
}
