import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Json, StorageDriver } from "@troupe/core";
import type { StorageEntry } from "@troupe/core/storage";

/** A `StorageDriver` in a file with one line per write. Every completed write survives a kill of the process. */
export class JournalStorage implements StorageDriver {
  readonly #path: string;
  readonly #records = new Map<string, Json>();

  constructor(path: string) {
    this.#path = path;
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").split("\n")) if (line !== "") this.#replay(line);
  }

  async get(namespace: string, key: string): Promise<Json | null> {
    return this.#records.get(`${namespace} ${key}`) ?? null;
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    const line = JSON.stringify([`${namespace} ${key}`, value]);
    appendFileSync(this.#path, `${line}\n`);
    this.#replay(line);
  }

  async delete(namespace: string, key: string): Promise<void> {
    await this.set(namespace, key, null);
  }

  async list(namespace: string, prefix = ""): Promise<StorageEntry[]> {
    const start = `${namespace} ${prefix}`;
    return [...this.#records.keys()]
      .filter((name) => name.startsWith(start))
      .toSorted()
      .map((name) => ({ key: name.slice(namespace.length + 1), value: this.#records.get(name) ?? null }));
  }

  async append(namespace: string, keyPrefix: string, value: Json): Promise<{ key: string; seq: number }> {
    const last = (await this.list(namespace, keyPrefix)).at(-1)?.key.slice(keyPrefix.length);
    const seq = Number(last ?? 0) + 1;
    const key = keyPrefix + String(seq).padStart(12, "0");
    await this.set(namespace, key, value);
    return { key, seq };
  }

  async close(): Promise<void> {}

  #replay(line: string): void {
    const [name, value] = JSON.parse(line) as [string, Json];
    if (value === null) this.#records.delete(name);
    else this.#records.set(name, value);
  }
}
